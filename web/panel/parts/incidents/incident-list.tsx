import type { ReactNode } from 'react';
import { useText } from '../../language.js';
import { AlertIcon } from '../icons/alert-icon.js';
import { Moment } from '../time/moment.js';
import styles from './incident-list.module.css';
import { type IncidentRun, incidentWords } from './incident-runs.js';

/** An incident to be listed: its step's name, and where it happened if that is not clear from the page. */
type ListedIncident = Readonly<{
  run: IncidentRun;
  step: string;
  place?: ReactNode;
  timeZone?: string;
}>;

/** What went wrong with steps: when, why, and what to do about it. */
export const IncidentList = ({
  label,
  incidents,
}: {
  label: string;
  incidents: readonly ListedIncident[];
}) => (
  <ul className={styles.list} aria-label={label}>
    {incidents.map((incident) => (
      <Incident key={incident.run.id} {...incident} />
    ))}
  </ul>
);

function Incident({ run, step, place, timeZone }: ListedIncident) {
  const t = useText();
  const { cause, advice } = incidentWords(run, step);
  const { firstSeenAt, lastSeenAt } = run;
  const isLong = Date.parse(lastSeenAt) - Date.parse(firstSeenAt) >= 60_000;
  return (
    <li className={styles.incident}>
      <AlertIcon />
      <div>
        <p className={styles.time}>
          {place}
          <Moment at={firstSeenAt} {...(timeZone && { timeZone })} />
          {isLong && (
            <>
              {' – '}
              <Moment at={lastSeenAt} {...(timeZone && { timeZone })} />
            </>
          )}
        </p>
        <p>{t(cause.id, cause.values)}</p>
        <p className={styles.advice}>{t(advice.id, advice.values)}</p>
      </div>
    </li>
  );
}
