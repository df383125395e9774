import { HOUR_MS } from '../../lib/durations.js';
import type { AttentionSource } from '../attention-item.js';
import { readHabits } from '../silence/silence.queries.js';

/** Websites from which leads came and come no more. */
export const silenceSource: AttentionSource = {
  kinds: ['SILENT_WEBSITE'],
  async read(db, { teamIds, now }) {
    const silent = await readHabits(db, { teamIds, silentOnly: true });
    return silent.map(({ websiteId, teamId, leads, firstAt, lastAt }) => ({
      kind: 'SILENT_WEBSITE',
      severity: 'WARNING',
      action: 'RUN_PROBE',
      since: lastAt,
      teamId,
      websiteId,
      formId: null,
      subject: null,
      facts: {
        silentHours: (now.getTime() - lastAt.getTime()) / HOUR_MS,
        usualHours: (lastAt.getTime() - firstAt.getTime()) / HOUR_MS / Math.max(1, leads - 1),
      },
    }));
  },
};
