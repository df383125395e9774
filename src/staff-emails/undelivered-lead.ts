import type { Transaction } from '../db/client.js';
import type { Clock } from '../lib/clock.js';
import type { UndeliveredLead } from '../notifications/bounces/bounces.queries.js';
import { writeStaffEmails } from './staff-emails.queries.js';

/** Creates what tells staff, in the transaction that finds it, about a lead that no recipient got. */
export const tellUndeliveredBy =
  (clock: Clock) =>
  async (
    tx: Transaction,
    { submissionId: leadId, attempts }: Pick<UndeliveredLead, 'submissionId' | 'attempts'>,
    emailId: string,
  ): Promise<void> => {
    await writeStaffEmails(tx, {
      // Once for each e-mail about it, and again when that was sent again.
      occasion: `undelivered:${emailId}:${attempts}`,
      now: clock(),
      content: { kind: 'lead_undelivered', leadId },
    });
  };
