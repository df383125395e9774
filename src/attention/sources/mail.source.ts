import { HOUR_MS } from '../../lib/durations.js';
import { groupBy } from '../../lib/group-by.js';
import type { AttentionAction, AttentionItem, AttentionSource, FoundItem } from '../attention-item.js';
import { type BouncingRecipient, readBouncing } from './bounces.queries.js';
import { readDeferred, readHeld, readUnsent, type UnsentLeads } from './mail.queries.js';

const hoursSince = (since: Date, now: Date) => (now.getTime() - since.getTime()) / HOUR_MS;

/**
 * E-mails that wait: when no worker gets them to the mail server, those of a team, or of the installation together, and
 * those of a website whose recipients' servers put them off.
 */
export const heldMailSource: AttentionSource = {
  kinds: ['MAIL_HELD'],
  async read(db, { teamIds, now }) {
    const [held, deferred] = await Promise.all([
      readHeld(db, { teamIds }, now),
      readDeferred(db, { teamIds }, now),
    ]);
    const common = { kind: 'MAIL_HELD', formId: null, subject: null } as const;
    const factsOf = ({ count, since }: Readonly<{ count: number; since: Date }>) => ({
      count,
      oldestHours: hoursSince(since, now),
    });
    return [
      ...held.map(
        (mail): AttentionItem => ({
          ...common,
          severity: 'URGENT',
          action: mail.teamId === null ? 'OPEN_GUIDE' : 'OPEN_WAITING',
          since: mail.since,
          teamId: mail.teamId,
          websiteId: null,
          facts: factsOf(mail),
        }),
      ),
      ...deferred.map(
        (mail): AttentionItem => ({
          ...common,
          severity: 'WARNING',
          action: 'OPEN_WAITING',
          since: mail.since,
          teamId: mail.teamId,
          websiteId: mail.websiteId,
          facts: factsOf(mail),
        }),
      ),
    ];
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

/** Returns the items of a website's leads: of all, and of those beside the ones that a bouncing recipient tells of. */
function failingItems(
  unsent: readonly UnsentLeads[],
  isToldByAddress: (leads: UnsentLeads) => boolean,
): FoundItem[] {
  const others = unsent.filter((leads) => !isToldByAddress(leads));
  if (others.length === unsent.length) return [failingItem(unsent)];
  const kind = 'RECIPIENT_BOUNCING';
  return [
    { ...failingItem(unsent), onlyWhere: { kind, isSetAside: true } },
    ...(others.length > 0
      ? [{ ...failingItem(others), onlyWhere: { kind, isSetAside: false } } as const]
      : []),
  ];
}

/**
 * Recipients whose e-mails come back, and leads of a website whose e-mail has ended without reaching a recipient. What
 * came back from an address is sent again once the address is mended, so until then the address alone is listed, unless
 * it is set aside: that hides no lead that reached no recipient.
 */
export const failingMailSource: AttentionSource = {
  kinds: ['RECIPIENT_BOUNCING', 'MAIL_FAILING'],
  async read(db, { teamIds, now }) {
    const [bouncing, unsent] = await Promise.all([
      readBouncing(db, { teamIds }, now),
      readUnsent(db, { teamIds }, now),
    ]);
    const addresses = new Set(bouncing.map(({ websiteId, recipient }) => `${websiteId} ${recipient}`));
    const isToldByAddress = ({ websiteId, cameBackFrom }: UnsentLeads) =>
      cameBackFrom?.some((address) => addresses.has(`${websiteId} ${address}`)) ?? false;
    const ofWebsites = groupBy(unsent, ({ websiteId }) => websiteId);
    const failing = [...ofWebsites.values()].flatMap((leads) => failingItems(leads, isToldByAddress));
    return [...bouncing.map(bouncingItem), ...failing];
  },
};
