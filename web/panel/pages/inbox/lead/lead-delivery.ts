/** What became of an e-mail for one recipient. */
type RecipientState = 'accepted' | 'bounced' | 'delayed' | 'refused' | 'unknown' | 'waiting';

/**
 * Sums up what became of an e-mail: `failed` when no recipient has it, `bounced` when it came back from each, `partly`
 * when some do not have it, `unsure` when some may not, else its state.
 */
export function deliveryOf<State extends string>({
  state,
  recipients,
}: Readonly<{
  state: State;
  recipients: readonly Readonly<{ state: RecipientState }>[];
}>): State | 'sent' | 'failed' | 'bounced' | 'partly' | 'unsure' {
  if (recipients.length === 0 || (state !== 'sent' && state !== 'failed')) return state;
  const lost = recipients.filter((one) => one.state === 'refused' || one.state === 'bounced').length;
  if (lost > 0 && lost < recipients.length) return 'partly';
  if (lost > 0) return recipients.every((one) => one.state === 'bounced') ? 'bounced' : 'failed';
  return recipients.every((one) => one.state === 'accepted') ? 'sent' : 'unsure';
}

/** How an attempt went for a part of its recipients. */
export type Share = Readonly<{ outcome: 'accepted' | 'refused' | 'deferred'; count: number; total: number }>;

/** The counts with which the gateway begins the detail of an attempt whose recipients differ. */
const COUNT = /^(\d+) of (\d+) recipients (refused|deferred)\. ?/;

/** Separates the gateway's counts from the mail server's words; no shares: the attempt ended alike for all. */
export function readDetail(detail: string): { shares: readonly Share[]; answer: string } {
  const shares: Share[] = [];
  let answer = detail;
  for (let found = COUNT.exec(answer); found; found = COUNT.exec(answer)) {
    const [whole, count, total, outcome] = found;
    shares.push({ outcome: outcome as Share['outcome'], count: Number(count), total: Number(total) });
    answer = answer.slice(whole.length);
  }
  const total = shares[0]?.total ?? 0;
  const accepted = total - shares.reduce((sum, { count }) => sum + count, 0);
  return {
    shares: accepted > 0 ? [{ outcome: 'accepted', count: accepted, total }, ...shares] : shares,
    answer,
  };
}
