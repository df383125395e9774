import type { AttentionAction, AttentionSource } from '../attention-item.js';
import { type BouncingRecipient, readBouncing } from './bounces.queries.js';

/** The action that opens where an address is set. */
const ACTIONS: Readonly<Record<BouncingRecipient['place'], AttentionAction>> = {
  placement: 'OPEN_RECIPIENTS',
  form: 'OPEN_FORM_RECIPIENTS',
  website: 'OPEN_SETTINGS',
};

/** Recipients whose e-mails come back. */
export const bouncesSource: AttentionSource = {
  kinds: ['RECIPIENT_BOUNCING'],
  async read(db, { teamIds, now }) {
    const bouncing = await readBouncing(db, { teamIds }, now);
    return bouncing.map(({ websiteId, teamId, recipient, since, leads, place, formId }) => ({
      kind: 'RECIPIENT_BOUNCING',
      severity: 'WARNING',
      action: ACTIONS[place],
      since,
      teamId,
      websiteId,
      formId,
      subject: recipient,
      facts: { recipient, leads },
    }));
  },
};
