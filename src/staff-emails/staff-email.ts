import type { AttentionKind, Facts, Severity } from '../attention/attention-item.js';

/** What staff are told of at once. A word stays the same for good: `open_alerts` names it. */
export const ALERTS = ['mail_held', 'database_full', 'probes_failing'] as const;

export type AlertName = (typeof ALERTS)[number];

/** An item of the digest, with the address in the panel at which it is mended. */
export type DigestItem = Readonly<{
  kind: AttentionKind;
  severity: Severity;
  facts: Facts;
  /** The names of what it concerns, such as a website, or a form and its team; none: the installation. */
  about: readonly string[];
  /** Whether it was not there at the time of the digest before. */
  isNew: boolean;
  /** The path in the panel. */
  path: string;
}>;

/** What an e-mail to staff says, by its kind. */
export type StaffEmailContent = Readonly<
  | { kind: 'alert'; alert: AlertName; since: string }
  | { kind: 'alert_over'; alert: AlertName; since: string }
  | { kind: 'lead_undelivered'; leadId: string; website: string; addresses: readonly string[] }
  | {
      kind: 'digest';
      items: readonly DigestItem[];
      total: number;
      /** Of all items, also those that are not listed: the next digest tells by them what is new. */
      keys: readonly string[];
    }
>;

/** What the row of an e-mail to staff keeps of it: of a lead its id alone, so that what is erased is nowhere else. */
export type StoredStaffEmail =
  | Exclude<StaffEmailContent, { kind: 'lead_undelivered' }>
  | Readonly<{ kind: 'lead_undelivered'; leadId: string }>;
