import { useInfiniteQuery } from '@tanstack/react-query';
import { useText } from '../../../language.js';
import { MoreButton } from '../../../parts/buttons/more-button.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { IncidentList } from '../../../parts/incidents/incident-list.js';
import styles from '../../../parts/incidents/incident-list.module.css';
import { incidentRuns } from '../../../parts/incidents/incident-runs.js';
import { nameKey } from '../../../parts/step-name.js';
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
          if (found.length === 0) return <p className={styles.none}>{t('incident.none')}</p>;
          return (
            <IncidentList
              label={t('incident.title')}
              incidents={incidentRuns(found).map((run) => ({
                run,
                step: nameKey(run.linkKey, all, t),
                timeZone,
              }))}
            />
          );
        }}
      </Loaded>
      <MoreButton query={incidents}>{t('incident.more')}</MoreButton>
    </>
  );
}
