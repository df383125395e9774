import type { MatchedRule } from '../forms/recipients/recipient-rules.js';
import type { AttemptOutcome, Bounce, NotificationState } from '../generated/prisma/client.js';

/** What became of an e-mail for one recipient. */
export const RecipientState = {
  waiting: 'waiting',
  accepted: 'accepted',
  refused: 'refused',
  unknown: 'unknown',
  delayed: 'delayed',
  bounced: 'bounced',
} as const;

export type RecipientState = keyof typeof RecipientState;

/** A recipient of an e-mail, with the mail server's last word about it. */
export type Recipient = Readonly<{
  address: string;
  /** The rule that chose it; null: it is a default, or was named by an account. */
  rule: MatchedRule | null;
  state: RecipientState;
  lastAnswer: string | null;
  /** The end of the last attempt at it, and how long that attempt took. */
  at: Date | null;
  durationMs: number | null;
  nextAttemptAt: Date | null;
}>;

/** An e-mail as its row says it. */
export type AddressedEmail = Readonly<{
  state: NotificationState;
  /** The recipients of the next attempt, before those are left out that have the e-mail or were refused. */
  recipients: readonly string[];
  deliveredTo: readonly string[];
  refused: readonly string[];
  nextAttemptAt: Date;
  /** The rules that chose recipients; null: none did. */
  matchedRules?: readonly MatchedRule[] | null;
}>;

/** An attempt at an e-mail. */
type AddressedAttempt = Readonly<{
  outcome: AttemptOutcome;
  detail: string | null;
  answers: unknown;
  recipients: readonly string[];
  startedAt: Date;
  finishedAt: Date;
}>;

/** What a mail server reported after it had accepted an e-mail. */
type RecipientReport = Pick<Bounce, 'address' | 'kind' | 'detail' | 'reportedAt'>;

function answerTo(address: string, { detail, answers }: AddressedAttempt): string | null {
  const said = (answers ?? {}) as Record<string, string>;
  return Object.hasOwn(said, address) ? said[address]! : detail;
}

/** A report takes the acceptance before it back; one that cannot be read changes no state. */
function stateOf(
  address: string,
  email: AddressedEmail,
  { last, report }: Readonly<{ last: AddressedAttempt | undefined; report: RecipientReport | undefined }>,
): RecipientState {
  if (report && report.kind !== 'unreadable') return report.kind;
  if (email.deliveredTo.includes(address)) return 'accepted';
  if (last?.outcome === 'unknown') return 'unknown';
  if (email.refused.includes(address)) return 'refused';
  // An address that was deferred and has since been taken from the settings is tried no more.
  return email.state === 'pending' && email.recipients.includes(address) ? 'waiting' : 'refused';
}

/**
 * Tells what became of an e-mail for each recipient: those of the settings while it is pending, then every other that
 * an attempt has addressed.
 *
 * @param attempts Those that have ended, the first one first.
 * @param reports What was reported of this e-mail; what is older than the latest attempt at a recipient is left out.
 */
export function recipientStates(
  email: AddressedEmail,
  attempts: readonly AddressedAttempt[],
  reports: readonly RecipientReport[],
): Recipient[] {
  const { state, recipients, deliveredTo, refused, nextAttemptAt, matchedRules } = email;
  const tried = attempts.flatMap((attempt) => attempt.recipients);
  const addresses = new Set([
    ...(state === 'pending' ? recipients : []),
    ...tried,
    ...deliveredTo,
    ...refused,
  ]);
  return [...addresses].map((address) => {
    const last = attempts.findLast((attempt) => attempt.recipients.includes(address));
    const report = reports.find(
      (one) => one.address === address && !(last && one.reportedAt < last.startedAt),
    );
    const isDue = state === 'pending' && recipients.includes(address);
    const isDone = deliveredTo.includes(address) || refused.includes(address);
    return {
      address,
      rule: matchedRules?.find((rule) => rule.recipients.includes(address)) ?? null,
      state: stateOf(address, email, { last, report }),
      lastAnswer: report?.detail ?? (last ? answerTo(address, last) : null),
      at: report?.reportedAt ?? last?.finishedAt ?? null,
      durationMs: last ? last.finishedAt.getTime() - last.startedAt.getTime() : null,
      nextAttemptAt: isDue && !isDone ? nextAttemptAt : null,
    };
  });
}
