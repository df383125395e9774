import { Link } from '@tanstack/react-router';
import { useText } from '../../language.js';
import { IncidentList } from '../../parts/incidents/incident-list.js';
import { incidentRuns } from '../../parts/incidents/incident-runs.js';
import { nameKey } from '../../parts/step-name.js';
import styles from '../captcha.module.css';
import type { Incident } from './queries.js';

type Props = {
  incidents: readonly Incident[];
  /** How many are shown at most, of those that followed each other closely one; all without it. */
  most?: number;
};

/** What went wrong on any website, in words, the newest first. */
export function Incidents({ incidents, most }: Props) {
  const t = useText();
  if (incidents.length === 0) return <p className={styles.hint}>{t('console.noIncidents')}</p>;
  return (
    <IncidentList
      label={t('incident.title')}
      incidents={incidentRuns(incidents)
        .slice(0, most)
        .map((run) => ({
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
  );
}
