import type { TextId } from '../../texts/text-id.js';

/** A text of the catalogues with its values. */
export type Sentence = Readonly<{ id: TextId; values?: Readonly<Record<string, string | number>> }>;

/** An incident as the gateway records it: one for each step, reason and minute. */
export type Incident = Readonly<{
  id: string;
  /** Given where incidents of several websites are together. */
  websiteId?: string;
  linkKey: string;
  reason: string;
  count: number;
  firstSeenAt: string;
  lastSeenAt: string;
}>;

/** The same thing that went on for a while. */
export type IncidentRun = Incident;

/** What comes again within this time is taken for the same. */
export const MAX_PAUSE_MS = 15 * 60_000;

/**
 * Joins the incidents of the same step and reason on a website that follow each other closely. Both lists begin with
 * the newest.
 */
export function incidentRuns<One extends Incident>(incidents: readonly One[]): One[] {
  const runs: One[] = [];
  for (const incident of incidents) {
    const { websiteId, linkKey, reason, count, firstSeenAt, lastSeenAt } = incident;
    const at = runs.findLastIndex(
      (run) => run.websiteId === websiteId && run.linkKey === linkKey && run.reason === reason,
    );
    const later = runs[at];
    const isSame = later && Date.parse(later.firstSeenAt) - Date.parse(lastSeenAt) <= MAX_PAUSE_MS;
    if (isSame) runs[at] = { ...later, firstSeenAt, count: later.count + count };
    else runs.push(incident);
  }
  return runs;
}

/** The reasons that there are words for; see `IncidentReason` of the gateway. */
const REASONS = [
  'timeout',
  'network_error',
  'server_error',
  'secret_missing',
  'secret_refused',
  'pass_through',
] as const;

/** Puts into words what has happened, and what to do about it. */
export function incidentWords({ reason, count }: Pick<Incident, 'reason' | 'count'>, step: string) {
  const known = REASONS.find((one) => one === reason);
  const cause: Sentence = known
    ? { id: `incident.reason.${known}`, values: { step, count } }
    : { id: 'incident.reason.other', values: { step, count, reason } };
  const advice: Sentence = { id: `incident.advice.${known ?? 'other'}`, values: { step } };
  return { cause, advice };
}
