import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useIntl } from 'react-intl';
import { useLanguage, useText } from '../../language.js';
import { closedSummary } from '../../parts/closed-summary.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Fact, Facts } from '../../parts/layout/facts.js';
import { OutsideLink } from '../../parts/outside-link.js';
import { HealthWords } from '../../parts/website/health-words.js';
import { RecentLeads } from '../../parts/website/recent-leads.js';
import { Expected } from './health/expected.js';
import { Tests } from './health/tests.js';
import { figuresQuery, leadCountQuery, type Website } from './queries.js';
import { StateBadge } from './state-badge.js';

/** What there is to know about a website at a glance. */
export function OverviewTab({ website }: { website: Website }) {
  const { id, url, locale, timeZone, disabled } = website;
  const t = useText();
  const { formatDisplayName } = useIntl();
  const leads = useQuery(leadCountQuery(id));
  const figures = useQuery(figuresQuery(id, useLanguage()));
  return (
    <>
      <Expected website={website} />
      <Facts>
        <Fact label={t('website.address')}>
          <OutsideLink href={url}>{url}</OutsideLink>
        </Fact>
        <Fact label={t('website.state')}>
          <StateBadge website={website} />
        </Fact>
        <Fact label={t('website.health')}>
          <Loaded query={figures} skeleton="…">
            {(known) => (
              <>
                <HealthWords {...known} disabled={disabled} />
                {known.health.map(({ id: item, kind, websiteId, summary }) => {
                  const text = closedSummary(summary);
                  return (
                    <p key={item}>
                      {websiteId === null && kind !== 'UNCHECKED'
                        ? t('health.ofTeam', { summary: text })
                        : text}
                    </p>
                  );
                })}
              </>
            )}
          </Loaded>
        </Fact>
        <Fact label={t('website.leads')}>
          <Loaded query={leads} skeleton="…">
            {({ total, isExact }) => (
              <Link to="/inbox" search={({ team }) => ({ team, folder: 'all', website: [id] })}>
                {t('website.leadCount', { count: total, isExact: String(isExact) })}
              </Link>
            )}
          </Loaded>
        </Fact>
        <Fact label={t('website.recentLeads')}>
          <Loaded query={figures} skeleton="…">
            {({ leadsPerDay }) => <RecentLeads counts={leadsPerDay} />}
          </Loaded>
        </Fact>
        <Fact label={t('website.language')}>{formatDisplayName(locale, { type: 'language' }) ?? locale}</Fact>
        <Fact label={t('website.timeZone')}>{timeZone}</Fact>
        <Fact label={t('website.team')}>
          <Loaded query={figures} skeleton="…">
            {({ team }) => team.name}
          </Loaded>
        </Fact>
      </Facts>
      <Tests website={website} />
    </>
  );
}
