import { writeCsv } from '../../../../src/lib/text/csv-rows.js';
import { defuseFormulas } from '../../../../src/lib/text/formulas.js';
import type { useText } from '../../language.js';
import { incidentRuns, incidentWords } from '../../parts/incidents/incident-runs.js';
import { nameKey } from '../../parts/step-name.js';
import type { Incident } from './queries.js';

/**
 * Writes incidents as the page tells them: a row for each, those that followed each other closely in one; times in UTC.
 */
export function incidentsCsv(incidents: readonly Incident[], t: ReturnType<typeof useText>): string {
  const headings = [
    'filter.website',
    'console.provider',
    'console.first',
    'console.lastTime',
    'console.count',
  ] as const;
  const rows = incidentRuns(incidents).map((run) => {
    const step = nameKey(run.linkKey, [run.linkKey], t);
    const { cause } = incidentWords(run, step);
    const times = [run.firstSeenAt, run.lastSeenAt, String(run.count)];
    return [run.website.name, step, ...times, t(cause.id, cause.values)];
  });
  return writeCsv(
    [[...headings.map((id) => t(id)), t('console.happened')], ...rows].map((row) => row.map(defuseFormulas)),
  );
}
