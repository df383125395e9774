import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { TextField } from '../../parts/fields/text-field.js';
import { Form } from '../../parts/form/form.js';
import { changesOf } from '../../parts/merge/changes-of.js';
import { Dialog, DialogButtons } from '../../parts/overlays/dialog.js';
import { say } from '../../parts/overlays/toasts.js';
import { isSlug, slugOf } from '../../parts/slug.js';
import type { Plan } from '../../parts/teams/plans.js';

const CREATE = graphql(`
  mutation createPlan($input: CreatePlanInput!) {
    createPlan(input: $input) {
      id
    }
  }
`);

const UPDATE = graphql(`
  mutation updatePlan($id: ID!, $input: UpdatePlanInput!) {
    updatePlan(id: $id, input: $input) {
      id
    }
  }
`);

/** The limits of a plan as they are typed; the month's may be empty, which is none. */
const LIMITS = ['notificationsPerMonth', 'submissionsPerMinute', 'submissionsPerHour'] as const;

const LABELS = {
  notificationsPerMonth: 'plans.perMonth',
  submissionsPerMinute: 'plans.perMinute',
  submissionsPerHour: 'plans.perHour',
} as const;

/** Largest number that the gateway takes. */
const MAX = 2 ** 31 - 1;

/** Edits a plan, or with null makes a new one; a change is effective for all its teams at once. */
export function PlanDialog({ plan, onClose }: { plan: Plan | null; onClose(): void }) {
  const t = useText();
  const client = useQueryClient();
  const [name, setName] = useState(plan?.name ?? '');
  const [typedCode, setCode] = useState<string | null>(null);
  const [limits, setLimits] = useState({
    notificationsPerMonth: String((plan ? plan.notificationsPerMonth : 500) ?? ''),
    submissionsPerMinute: String(plan?.submissionsPerMinute ?? 5),
    submissionsPerHour: String(plan?.submissionsPerHour ?? 1000),
  });
  const code = typedCode ?? slugOf(name);
  const save = useMutation({
    mutationFn: async (): Promise<void> => {
      const { notificationsPerMonth } = limits;
      const input = {
        name: name.trim(),
        notificationsPerMonth: notificationsPerMonth === '' ? null : Number(notificationsPerMonth),
        submissionsPerMinute: Number(limits.submissionsPerMinute),
        submissionsPerHour: Number(limits.submissionsPerHour),
      };
      if (plan) await request(UPDATE, { id: plan.id, input: changesOf<typeof input>(plan, input) });
      else await request(CREATE, { input: { ...input, code } });
    },
    onSuccess: async () => {
      await Promise.all(
        [['plans'], ['teams'], ['team']].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
      say(t('action.saved'));
      onClose();
    },
  });
  const limitFault = (limit: (typeof LIMITS)[number]) => (value: string) => {
    const least = limit === 'notificationsPerMonth' ? 0 : 1;
    return /^\d+$/.test(value) && Number(value) >= least && Number(value) <= MAX
      ? null
      : t('plans.number', { least });
  };
  return (
    <Dialog
      title={plan ? t('plans.editOne', { name: plan.name }) : t('plans.create')}
      isOpen
      onClose={onClose}
      isPending={save.isPending}
    >
      <Form
        onSubmit={() => save.mutate()}
        error={save.error}
        fieldErrors={({ code: error }) => ({ code: error === 'CONFLICT' && t('plans.codeTaken') })}
      >
        {plan && <p>{t('plans.concerns', { count: plan.teamCount })}</p>}
        <TextField
          label={t('plans.name')}
          autoFocus
          name="name"
          isRequired
          value={name}
          onChange={setName}
          maxLength={255}
        />
        {!plan && (
          <TextField
            label={t('plans.code')}
            hint={t('plans.codeHint')}
            name="code"
            isRequired
            value={code}
            onChange={setCode}
            validate={(value) => (isSlug(value) ? null : t('teams.slugRule'))}
          />
        )}
        {LIMITS.map((limit) => (
          <TextField
            key={limit}
            label={t(LABELS[limit])}
            {...(limit === 'notificationsPerMonth' && { hint: t('plans.emptyHint') })}
            name={limit}
            inputMode="numeric"
            isRequired={limit !== 'notificationsPerMonth'}
            value={limits[limit]}
            onChange={(value) => setLimits({ ...limits, [limit]: value.trim() })}
            validate={limitFault(limit)}
          />
        ))}
        <DialogButtons action={plan ? t('action.save') : t('plans.create')} />
      </Form>
    </Dialog>
  );
}
