import { quotaMonth } from '../../plans/quota.queries.js';
import type { AttentionItem, AttentionSource } from '../attention-item.js';
import { readUsedQuotas, type UsedQuota } from './quota.queries.js';

/** The share of the quota from which it is near. */
const NEAR_SHARE = 0.8;

/** Forecasts the day on which a quota is reached, as in `2026-11-26`; null when the month ends before that. */
function reachedOn({ used, limit }: UsedQuota, month: Date, now: Date): string | null {
  const elapsed = now.getTime() - month.getTime();
  const at = new Date(month.getTime() + (elapsed * limit) / used);
  return quotaMonth(at).getTime() === month.getTime() ? at.toISOString().slice(0, 10) : null;
}

function itemOf(quota: UsedQuota, month: Date, now: Date): AttentionItem {
  const { teamId, used, limit, held, nearSince, reachedSince } = quota;
  const common = { teamId, websiteId: null, formId: null, subject: null } as const;
  if (used < limit) {
    const facts = { used, limit, reachedOn: reachedOn(quota, month, now) };
    return {
      ...common,
      kind: 'QUOTA_NEAR',
      severity: 'NOTICE',
      action: 'OPEN_PLAN',
      since: nearSince ?? month,
      facts,
    };
  }
  return {
    ...common,
    ...{ kind: 'QUOTA_REACHED', severity: held > 0 ? 'URGENT' : 'WARNING' },
    action: held > 0 ? 'OPEN_HELD' : 'OPEN_PLAN',
    ...{ since: reachedSince ?? nearSince ?? month, facts: { used, limit, held } },
  };
}

/** Teams whose e-mails of the month are used up, or nearly so. */
export const quotaSource: AttentionSource = {
  kinds: ['QUOTA_NEAR', 'QUOTA_REACHED'],
  async read(db, { teamIds, now }) {
    const month = quotaMonth(now);
    const found = await readUsedQuotas(db, { teamIds }, { month, share: NEAR_SHARE });
    return found.map((quota) => itemOf(quota, month, now));
  },
};
