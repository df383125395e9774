import { type Actor, recordAudit } from '../audit/audit.js';
import { asIs, recordedChange, type Shown } from '../audit/recorded-change.js';
import type { Transaction } from '../db/client.js';
import type { Webhook } from '../generated/prisma/client.js';
import { findNarrowings } from './narrowing.js';
import type { WebhookSettings } from './webhook.schema.js';

/** Returns the host of an endpoint, which the audit trail records alone, since a path may be a secret. */
const hostOf = (url: string): string => new URL(url).host;

type Audited = Exclude<keyof WebhookSettings, 'enabled'> | 'state';

/** How the audit trail records the settings; websites and forms by the names that they have then. */
const SHOWN: Shown<Audited> = {
  url: hostOf,
  description: asIs,
  events: asIs,
  websiteIds: asIs,
  formIds: asIs,
  state: asIs,
};

/** Makes the detail by which an event names an endpoint. */
export const detailOf = ({ url, events }: Pick<Webhook, 'url' | 'events'>) => ({
  host: hostOf(url),
  events: [...events],
});

/**
 * Replaces the ids of the websites and forms that endpoints are narrowed to by their names, as far as they have any.
 */
async function withNames(tx: Transaction, webhooks: readonly Webhook[]) {
  const narrowings = await findNarrowings(tx, webhooks);
  return webhooks.map((webhook, index) => ({
    ...webhook,
    websiteIds: narrowings[index]!.websites.map(({ id, name }) => name ?? id),
    formIds: narrowings[index]!.forms.map(({ id, name }) => name ?? String(id)),
  }));
}

/** Makes the detail of changed settings, with the values before and after. */
export async function changeDetailOf(
  tx: Transaction,
  before: Webhook,
  { failingSince, ...changed }: Partial<Webhook>,
) {
  const [was, is] = await withNames(tx, [before, { ...before, ...changed }]);
  return recordedChange(Object.keys(changed) as Audited[], { before: was!, after: is! }, SHOWN);
}

/** Records in the audit trail what was done to an endpoint. */
export const auditWebhook = (
  tx: Transaction,
  actor: Actor,
  action: string,
  { id, teamId }: Pick<Webhook, 'id' | 'teamId'>,
  detail = {},
): Promise<void> =>
  recordAudit(tx, actor, {
    teamId,
    action: `webhook.${action}`,
    subject: ['webhook', id],
    detail,
  });
