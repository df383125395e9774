import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Progress } from '../../parts/feedback/progress.js';
import { Fact, Facts } from '../../parts/layout/facts.js';
import { Section } from '../../parts/layout/page.js';
import { Table } from '../../parts/layout/table.js';
import { useViewer } from '../../session.js';
import type { Team } from './queries.js';
import { forecast } from './usage/forecast.js';
import { PlanDialog } from './usage/plan-dialog.js';
import { type Usage, usageQuery } from './usage/queries.js';

/** The plan of the team, this month against it, and the months before. */
export function UsageTab({ team }: { team: Team }) {
  const t = useText();
  const { staff } = useViewer();
  const usage = useQuery(usageQuery(team.id));
  const [isChanging, setChanging] = useState(false);
  return (
    <>
      <Loaded query={usage}>
        {(read) => (
          <>
            <Section
              title={t('plans.plan')}
              actions={staff && <Button onPress={() => setChanging(true)}>{t('usage.changePlan')}</Button>}
            >
              <PlanFacts plan={read.team.plan} />
            </Section>
            <ThisMonth teamId={team.id} usage={read} limit={read.team.plan.notificationsPerMonth} />
            <Months teamId={team.id} months={read.team.usage.slice(1)} />
          </>
        )}
      </Loaded>
      {isChanging && <PlanDialog team={team} onClose={() => setChanging(false)} />}
    </>
  );
}

function PlanFacts({ plan }: { plan: Usage['team']['plan'] }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { name, notificationsPerMonth, submissionsPerMinute, submissionsPerHour } = plan;
  return (
    <Facts>
      <Fact label={t('plans.plan')}>{name}</Fact>
      <Fact label={t('plans.perMonth')}>
        {notificationsPerMonth === null ? t('plans.unlimited') : formatNumber(notificationsPerMonth)}
      </Fact>
      <Fact label={t('plans.perMinute')}>{formatNumber(submissionsPerMinute)}</Fact>
      <Fact label={t('plans.perHour')}>{formatNumber(submissionsPerHour)}</Fact>
    </Facts>
  );
}

type ThisMonthProps = { teamId: string; usage: Usage; limit: number | null };

function ThisMonth({ teamId, usage: { team, quotaHeld }, limit }: ThisMonthProps) {
  const t = useText();
  const { formatDate } = useIntl();
  const { notificationsUsed = 0, submissions = 0 } = team.usage[0] ?? {};
  const expectation = forecast(notificationsUsed, limit, new Date());
  const { held, isExact } = quotaHeld;
  const { staff } = useViewer();
  const isUsedUp = limit !== null && notificationsUsed >= limit;
  return (
    <Section title={t('usage.thisMonth')}>
      <p>
        {limit === null ? (
          t('usage.unlimited', { used: notificationsUsed })
        ) : (
          <Progress done={notificationsUsed} total={limit} label={t('usage.emails')} />
        )}
      </p>
      <p>{t('usage.leads', { count: submissions })}</p>
      {isUsedUp && <p>{t(staff ? 'usage.usedUp' : 'usage.usedUpAsk')}</p>}
      {expectation && !isUsedUp && (
        <p>
          {expectation.reachedOn
            ? t('usage.reachedOn', {
                day: formatDate(expectation.reachedOn, { dateStyle: 'long', timeZone: 'UTC' }),
              })
            : t('usage.expected', { count: expectation.expected })}
        </p>
      )}
      {held > 0 && (
        <p>
          {t(isExact ? 'usage.held' : 'usage.heldAtLeast', { count: held })}{' '}
          <Link to="/inbox" search={{ team: teamId, folder: 'held' }}>
            {t('usage.showHeld')}
          </Link>
        </p>
      )}
    </Section>
  );
}

function Months({ teamId, months }: { teamId: string; months: Usage['team']['usage'] }) {
  const t = useText();
  const { formatDate, formatNumber } = useIntl();
  return (
    <Section title={t('usage.before')}>
      <Table
        label={t('usage.before')}
        headings={[t('usage.month'), t('usage.leadCount'), t('usage.emails'), t('usage.heldCount')]}
        hasNumbers
      >
        {months.map(({ month, submissions, notificationsUsed, held }) => (
          <tr key={month}>
            <th scope="row">
              {formatDate(`${month}-01T00:00:00Z`, { month: 'long', year: 'numeric', timeZone: 'UTC' })}
            </th>
            <td>{formatNumber(submissions)}</td>
            <td>{formatNumber(notificationsUsed)}</td>
            <td>
              {held > 0 ? (
                <Link to="/inbox" search={{ team: teamId, folder: 'held', month }}>
                  {formatNumber(held)}
                </Link>
              ) : (
                formatNumber(held)
              )}
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
