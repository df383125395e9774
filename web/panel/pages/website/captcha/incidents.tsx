import { useInfiniteQuery } from '@tanstack/react-query';
import { useText } from '../../../language.js';
import { AlertIcon } from '../../../parts/alert-icon.js';
import { Button } from '../../../parts/button.js';
import { Loaded } from '../../../parts/loaded.js';
import { Moment } from '../../../parts/moment.js';
import { nameKey } from '../../../parts/step-name.js';
import { type IncidentRun, incidentRuns, incidentWords } from './incident-runs.js';
import styles from './incidents.module.css';
import { incidentsQuery } from './queries.js';

type Props = { websiteId: string; keys: readonly string[]; timeZone: string };

/** What went wrong with the steps: when, why, and what to do about it. The newest first. */
export function Incidents({ websiteId, keys, timeZone }: Props) {
  const t = useText();
  const incidents = useInfiniteQuery(incidentsQuery(websiteId));
  return (
    <>
      <Loaded query={incidents}>
        {({ pages }) => {
          const found = pages.flatMap(({ edges }) => edges.map(({ node }) => node));
          const all = [...new Set([...keys, ...found.map(({ linkKey }) => linkKey)])];
          if (found.length === 0) return <p className={styles.none}>{t('chain.incidents.none')}</p>;
          return (
            <ul className={styles.list} aria-label={t('chain.incidents')}>
              {incidentRuns(found).map((run) => (
                <Incident key={run.id} run={run} step={nameKey(run.linkKey, all, t)} timeZone={timeZone} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {incidents.hasNextPage && (
        <Button onPress={() => void incidents.fetchNextPage()} isPending={incidents.isFetchingNextPage}>
          {t('chain.incidents.more')}
        </Button>
      )}
    </>
  );
}

function Incident({ run, step, timeZone }: { run: IncidentRun; step: string; timeZone: string }) {
  const t = useText();
  const { cause, advice } = incidentWords(run, step);
  const { firstSeenAt, lastSeenAt } = run;
  const isLong = Date.parse(lastSeenAt) - Date.parse(firstSeenAt) >= 60_000;
  return (
    <li className={styles.incident}>
      <AlertIcon />
      <div>
        <p className={styles.time}>
          <Moment at={firstSeenAt} timeZone={timeZone} />
          {isLong && (
            <>
              {' – '}
              <Moment at={lastSeenAt} timeZone={timeZone} />
            </>
          )}
        </p>
        <p>{t(cause.id, cause.values)}</p>
        <p className={styles.advice}>{t(advice.id, advice.values)}</p>
      </div>
    </li>
  );
}
