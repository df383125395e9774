import type { AttentionSource } from '../attention-item.js';
import { readBouncing } from './bounces.queries.js';

/** Recipients whose e-mails come back. */
export const bouncesSource: AttentionSource = {
  kinds: ['RECIPIENT_BOUNCING'],
  async read(db, { teamIds, now }) {
    const bouncing = await readBouncing(db, { teamIds }, now);
    return bouncing.map(({ websiteId, teamId, recipient, since, leads }) => ({
      ...{ kind: 'RECIPIENT_BOUNCING', severity: 'WARNING', action: 'OPEN_RECIPIENTS' },
      ...{ since, teamId, websiteId, formId: null, subject: recipient, facts: { recipient, leads } },
    }));
  },
};
