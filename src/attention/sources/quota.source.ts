import { DAY_MS } from '../../lib/durations.js';
import { NOTICE_SHARE, quotaMonth } from '../../plans/quota.queries.js';
import type { AttentionItem, AttentionSource } from '../attention-item.js';
import { readUsedQuotas, type UsedQuota } from './quota.queries.js';

/** Days before a quota is reached in which it is more than a note. */
const SOON_DAYS = 3;

/** Days of which every e-mail that is held back counts, however many there are. */
const RECENT_DAYS = 30;

/** Forecasts when a quota is reached; null when the month ends before that. */
function reachedAt(used: number, limit: number, { month, now }: Readonly<{ month: Date; now: Date }>) {
  const elapsed = now.getTime() - month.getTime();
  const at = new Date(month.getTime() + (elapsed * limit) / used);
  return quotaMonth(at).getTime() === month.getTime() ? at : null;
}

function itemsOf(quota: UsedQuota, month: Date, now: Date): AttentionItem[] {
  const { teamId, used, limit, held, heldSince, nearSince, reachedSince } = quota;
  const common = { teamId, websiteId: null, formId: null, subject: null } as const;
  const items: AttentionItem[] = [];
  const isReached = limit !== null && used >= limit;
  if (isReached || held > 0) {
    items.push({
      ...common,
      kind: 'QUOTA_REACHED',
      severity: held > 0 ? 'URGENT' : 'WARNING',
      action: held > 0 ? 'OPEN_HELD' : 'OPEN_PLAN',
      since: heldSince ?? reachedSince ?? nearSince ?? month,
      // Without a limit it says that e-mails are held back though the present month has room.
      facts: { used, limit: isReached ? limit : null, held },
    });
  }
  if (limit !== null && !isReached && used >= limit * NOTICE_SHARE) {
    const at = reachedAt(used, limit, { month, now });
    const isSoon = at !== null && at.getTime() - now.getTime() < SOON_DAYS * DAY_MS;
    items.push({
      ...common,
      kind: 'QUOTA_NEAR',
      severity: isSoon ? 'WARNING' : 'NOTICE',
      action: 'OPEN_PLAN',
      since: nearSince ?? month,
      // The day as in `2026-11-26`.
      facts: { used, limit, reachedOn: at?.toISOString().slice(0, 10) ?? null },
    });
  }
  return items;
}

/** Teams whose e-mails of the month are used up, or nearly so, and those whose e-mails a quota holds back. */
export const quotaSource: AttentionSource = {
  kinds: ['QUOTA_NEAR', 'QUOTA_REACHED'],
  async read(db, { teamIds, now }) {
    const month = quotaMonth(now);
    const since = new Date(now.getTime() - RECENT_DAYS * DAY_MS);
    const found = await readUsedQuotas(db, { teamIds }, { month, share: NOTICE_SHARE, since });
    return found.flatMap((quota) => itemsOf(quota, month, now));
  },
};
