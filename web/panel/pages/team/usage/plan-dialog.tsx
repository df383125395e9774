import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Select } from '../../../parts/fields/select.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { say } from '../../../parts/overlays/toasts.js';
import { type Plan, plansQuery } from '../../../parts/teams/plans.js';
import { type Team, UPDATE_TEAM } from '../queries.js';

/** For staff: gives the team another plan. */
export function PlanDialog({ team, onClose }: { team: Team; onClose(): void }) {
  const t = useText();
  const client = useQueryClient();
  const plans = useQuery(plansQuery);
  const [planId, setPlanId] = useState(team.plan.id);
  const update = useMutation({
    mutationFn: () => request(UPDATE_TEAM, { id: team.id, input: { planId } }),
    onSuccess: async () => {
      await Promise.all(
        [['team', team.id], ['teams'], ['plans']].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
      say(t('action.saved'));
      onClose();
    },
  });
  return (
    <Dialog title={t('usage.changePlan')} isOpen onClose={onClose} isPending={update.isPending}>
      <Loaded query={plans}>
        {(all) => {
          const plan = all.find(({ id }) => id === planId);
          return (
            <>
              <Select
                label={t('plans.plan')}
                value={planId}
                onChange={setPlanId}
                options={all.map(({ id, name, notificationsPerMonth: limit }) => ({
                  value: id,
                  text:
                    limit === null ? t('usage.planUnlimited', { name }) : t('usage.planOf', { name, limit }),
                }))}
              />
              {plan && <Limits plan={plan} />}
            </>
          );
        }}
      </Loaded>
      <p>{t('usage.changeText')}</p>
      {update.error && <ErrorBox error={update.error} />}
      <DialogButtons
        action={t('usage.changePlan')}
        isDisabled={planId === team.plan.id}
        onPress={() => update.mutate()}
      />
    </Dialog>
  );
}

/** What a plan allows. */
function Limits({ plan }: { plan: Plan }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const limits = [
    ['plans.perMonth', plan.notificationsPerMonth],
    ['plans.perMinute', plan.submissionsPerMinute],
    ['plans.perHour', plan.submissionsPerHour],
  ] as const;
  return (
    <ul aria-live="polite">
      {limits.map(([label, limit]) => (
        <li key={label}>
          {t('labelled', {
            label: t(label),
            value: limit === null ? t('plans.unlimited') : formatNumber(limit),
          })}
        </li>
      ))}
    </ul>
  );
}
