import { HOUR_MS } from '../../lib/durations.js';
import { groupBy } from '../../lib/group-by.js';
import type { AttentionAction, AttentionItem, AttentionSource } from '../attention-item.js';
import { type BouncingRecipient, readBouncing } from './bounces.queries.js';
import { readDeferred, readHeld, readUnsent, type UnsentLeads } from './mail.queries.js';

const hoursSince = (since: Date, now: Date) => (now.getTime() - since.getTime()) / HOUR_MS;

/**
 * E-mails that wait: those of the installation, when no worker gets them to the mail server, and those of a website
 * whose recipients' servers put them off.
 */
export const heldMailSource: AttentionSource = {
  kinds: ['MAIL_HELD'],
  async read(db, { teamIds, now }) {
    const [held, deferred] = await Promise.all([
      teamIds === null ? readHeld(db, now) : null,
      readDeferred(db, { teamIds }, now),
    ]);
    const ofWebsites = deferred.map(
      ({ websiteId, teamId, since, count }): AttentionItem => ({
        kind: 'MAIL_HELD',
        severity: 'WARNING',
        action: 'OPEN_WAITING',
        since,
        teamId,
        websiteId,
        formId: null,
        subject: null,
        facts: { count, oldestHours: hoursSince(since, now) },
      }),
    );
    if (!held) return ofWebsites;
    const { since, count } = held;
    const ofInstallation: AttentionItem = {
      kind: 'MAIL_HELD',
      severity: 'URGENT',
      action: 'OPEN_GUIDE',
      since,
      teamId: null,
      websiteId: null,
      formId: null,
      subject: null,
      facts: { count, oldestHours: hoursSince(since, now) },
    };
    return [ofInstallation, ...ofWebsites];
  },
};

/** The action that opens where an address is set. */
const ACTIONS: Readonly<Record<BouncingRecipient['place'], AttentionAction>> = {
  placement: 'OPEN_RECIPIENTS',
  form: 'OPEN_FORM_RECIPIENTS',
  website: 'OPEN_SETTINGS',
};

const bouncingItem = ({
  websiteId,
  teamId,
  recipient,
  since,
  leads,
  place,
  formId,
}: BouncingRecipient): AttentionItem => ({
  kind: 'RECIPIENT_BOUNCING',
  severity: 'WARNING',
  action: ACTIONS[place],
  since,
  teamId,
  websiteId,
  formId,
  subject: recipient,
  facts: { recipient, leads },
});

function failingItem(unsent: readonly UnsentLeads[]): AttentionItem {
  const { websiteId, teamId } = unsent[0]!;
  const failed = unsent.reduce((sum, leads) => sum + leads.failed, 0);
  const without = unsent.reduce((sum, leads) => sum + leads.without, 0);
  return {
    kind: 'MAIL_FAILING',
    severity: 'WARNING',
    action: failed > 0 ? 'OPEN_UNSENT' : 'OPEN_RECIPIENTS',
    since: new Date(Math.min(...unsent.map(({ since }) => since.getTime()))),
    teamId,
    websiteId,
    formId: null,
    subject: null,
    facts: { failed, without },
  };
}

/**
 * Recipients whose e-mails come back, and leads of a website whose e-mail has ended without reaching a recipient. What
 * came back from an address is sent again once the address is mended, so until then the address alone is listed.
 */
export const failingMailSource: AttentionSource = {
  kinds: ['RECIPIENT_BOUNCING', 'MAIL_FAILING'],
  async read(db, { teamIds, now }) {
    const [bouncing, unsent] = await Promise.all([
      readBouncing(db, { teamIds }, now),
      readUnsent(db, { teamIds }, now),
    ]);
    const addresses = new Set(bouncing.map(({ websiteId, recipient }) => `${websiteId} ${recipient}`));
    const isListed = ({ websiteId, cameBackFrom }: UnsentLeads) =>
      cameBackFrom?.some((address) => addresses.has(`${websiteId} ${address}`)) ?? false;
    const ofWebsites = groupBy(
      unsent.filter((leads) => !isListed(leads)),
      ({ websiteId }) => websiteId,
    );
    return [...bouncing.map(bouncingItem), ...[...ofWebsites.values()].map(failingItem)];
  },
};
