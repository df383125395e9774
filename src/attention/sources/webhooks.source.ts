import { HOUR_MS } from '../../lib/durations.js';
import type { AttentionSource } from '../attention-item.js';

/**
 * For how long an endpoint may fail before it is an item; retries of the first hour bridge a deployment of its
 * receiver.
 */
const TOLERATED_MS = HOUR_MS;

/** Endpoints whose deliveries fail, and those that Formgate has disabled for it. */
export const webhooksSource: AttentionSource = {
  kinds: ['WEBHOOK_FAILING'],
  async read({ orm }, { teamIds, now }) {
    const rows = await orm.webhook.findMany({
      where: {
        team: { active: true },
        ...(teamIds && { teamId: { in: [...teamIds] } }),
        OR: [
          { state: { in: ['gone', 'failing'] } },
          { state: 'active', failingSince: { lt: new Date(now.getTime() - TOLERATED_MS) } },
        ],
      },
    });
    return rows.map(({ id, teamId, url, failingSince, createdAt }) => ({
      kind: 'WEBHOOK_FAILING',
      severity: 'WARNING',
      since: failingSince ?? createdAt,
      teamId,
      websiteId: null,
      formId: null,
      subject: id,
      facts: { host: new URL(url).host },
      action: 'OPEN_WEBHOOKS',
    }));
  },
};
