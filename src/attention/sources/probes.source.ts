import { DAY_MS } from '../../lib/durations.js';
import type { AttentionItem, AttentionSource } from '../attention-item.js';
import { readExpiring, readFailing } from './probes.queries.js';

/** Failures in a row that make an item: one may be a moment's trouble. */
const FAILURES = 2;

/** Days that a certificate must hold. */
const CERTIFICATE_DAYS = 14;

/**
 * Websites whose probes have failed several times in a row: for their script in the page, for anything else, or both.
 */
export const failingProbesSource: AttentionSource = {
  kinds: ['PROBE_FAILED', 'PAGE_WITHOUT_SCRIPT'],
  async read(db, { teamIds }) {
    const websites = await readFailing(db, { teamIds }, { atLeast: FAILURES });
    return websites.map(({ websiteId, teamId, cause, failures, since, step }): AttentionItem => {
      const about = { since, teamId, websiteId, formId: null, subject: null };
      const { finding } = step;
      if (cause === 'script') {
        const facts = { finding, failures };
        return { kind: 'PAGE_WITHOUT_SCRIPT', severity: 'URGENT', action: 'OPEN_INSTALL', ...about, facts };
      }
      const facts = { failures, step: step.name, finding };
      // The mail server is the installation's, whose own item ranks higher while real leads wait for it.
      const severity = finding === 'mail_server_away' ? 'WARNING' : 'URGENT';
      return { kind: 'PROBE_FAILED', severity, action: 'RUN_PROBE', ...about, facts };
    });
  },
};

/** Websites whose certificate expires soon. */
export const certificatesSource: AttentionSource = {
  kinds: ['CERTIFICATE_EXPIRING'],
  async read(db, { teamIds, now }) {
    const before = new Date(now.getTime() + CERTIFICATE_DAYS * DAY_MS);
    const expiring = await readExpiring(db, { teamIds }, { now, before });
    return expiring.map(({ websiteId, teamId, expiresAt }): AttentionItem => {
      const days = Math.floor((expiresAt.getTime() - now.getTime()) / DAY_MS);
      return {
        kind: 'CERTIFICATE_EXPIRING',
        severity: days < 3 ? 'URGENT' : 'WARNING',
        action: 'OPEN_WEBSITE',
        since: new Date(expiresAt.getTime() - CERTIFICATE_DAYS * DAY_MS),
        teamId,
        websiteId,
        formId: null,
        subject: null,
        facts: { days },
      };
    });
  },
};
