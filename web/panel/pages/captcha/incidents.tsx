import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { IncidentList } from '../../parts/incidents/incident-list.js';
import { incidentRuns } from '../../parts/incidents/incident-runs.js';
import { Loaded } from '../../parts/loaded.js';
import type { Days } from '../../parts/statistics/period.js';
import { nameKey } from '../../parts/step-name.js';
import styles from '../captcha.module.css';
import { incidentsQuery, type Narrowed } from './queries.js';
import type { Provider } from './search.js';

type Props = { narrowed: Narrowed; days: Days; provider: Provider | undefined };

/** What went wrong in some days on any website, in words, the newest first. */
export function Incidents({ narrowed, days, provider }: Props) {
  const t = useText();
  const incidents = useInfiniteQuery(incidentsQuery(narrowed, days));
  return (
    <Loaded query={incidents}>
      {({ pages }) => {
        const found = pages
          .flatMap(({ edges }) => edges.map(({ node }) => node))
          .filter(({ linkKey }) => provider === undefined || linkKey.split(':')[0] === provider);
        return (
          <>
            {found.length === 0 && <p className={styles.hint}>{t('console.noIncidents')}</p>}
            <IncidentList
              label={t('incident.title')}
              incidents={incidentRuns(found).map((run) => ({
                run,
                step: nameKey(run.linkKey, [run.linkKey], t),
                timeZone: run.website.timeZone,
                place: (
                  <>
                    <Link
                      to="/websites/$websiteId"
                      params={{ websiteId: run.websiteId }}
                      search={({ team }) => ({ team, tab: 'captcha' as const })}
                    >
                      {run.website.name}
                    </Link>
                    {' · '}
                  </>
                ),
              }))}
            />
            {incidents.hasNextPage && (
              <Button onPress={() => void incidents.fetchNextPage()} isPending={incidents.isFetchingNextPage}>
                {t('incident.more')}
              </Button>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
