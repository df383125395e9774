import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { EmptyState } from '../parts/feedback/empty-state.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Page } from '../parts/layout/page.js';
import { Table } from '../parts/layout/table.js';
import { type Plan, plansQuery } from '../parts/teams/plans.js';
import { PlanDialog } from './plans/plan-dialog.js';

/** The plans, for staff: what each allows, and the teams that have it. */
export function PlansPage() {
  const t = useText();
  const plans = useQuery(plansQuery);
  // Null: a new plan is edited; undefined: none is.
  const [edited, setEdited] = useState<Plan | null | undefined>(undefined);
  return (
    <Page
      title={t('plans.title')}
      actions={<Button onPress={() => setEdited(null)}>{t('plans.create')}</Button>}
    >
      <Loaded query={plans}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={t('plans.none')} />
          ) : (
            <PlanTable plans={all} onEdit={setEdited} />
          )
        }
      </Loaded>
      {edited !== undefined && <PlanDialog plan={edited} onClose={() => setEdited(undefined)} />}
    </Page>
  );
}

function PlanTable({ plans, onEdit }: { plans: readonly Plan[]; onEdit(plan: Plan): void }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const headings = [
    'plans.name',
    'plans.perMonth',
    'plans.perMinute',
    'plans.perHour',
    'teams.title',
  ] as const;
  return (
    <Table label={t('plans.title')} headings={[...headings.map((id) => t(id)), '']}>
      {plans.map((plan) => (
        <tr key={plan.id}>
          <td>{plan.name}</td>
          <td>
            {plan.notificationsPerMonth === null
              ? t('plans.unlimited')
              : formatNumber(plan.notificationsPerMonth)}
          </td>
          <td>{formatNumber(plan.submissionsPerMinute)}</td>
          <td>{formatNumber(plan.submissionsPerHour)}</td>
          <td>
            <Link to="/teams" search={({ team }) => ({ team, plan: plan.id })}>
              {t('plans.teams', { count: plan.teamCount })}
            </Link>
          </td>
          <td>
            <Button onPress={() => onEdit(plan)} aria-label={t('plans.editOne', { name: plan.name })}>
              {t('plans.edit')}
            </Button>
          </td>
        </tr>
      ))}
    </Table>
  );
}
