import { HOUR_MS } from '../../lib/durations.js';
import type { AttentionItem, AttentionSource } from '../attention-item.js';
import { readDeferred, readHeld, readUnsent } from './mail.queries.js';

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

/** Leads of a website whose e-mail has ended without reaching a recipient. */
export const failingMailSource: AttentionSource = {
  kinds: ['MAIL_FAILING'],
  async read(db, { teamIds, now }) {
    const unsent = await readUnsent(db, { teamIds }, now);
    return unsent.map(({ websiteId, teamId, since, failed, without }) => ({
      kind: 'MAIL_FAILING',
      severity: 'WARNING',
      action: failed > 0 ? 'OPEN_UNSENT' : 'OPEN_RECIPIENTS',
      since,
      teamId,
      websiteId,
      formId: null,
      subject: null,
      facts: { failed, without },
    }));
  },
};
