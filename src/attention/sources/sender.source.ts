import type { AttentionItem, AttentionSource } from '../attention-item.js';

const NAMES: Readonly<Record<string, string>> = { spf: 'SPF', dmarc: 'DMARC', bounce_mx: 'MX' };

/** What is wrong with the DNS of the sender's domain, as the last daily check has found it. */
export const senderSource: AttentionSource = {
  kinds: ['SENDER_DNS'],
  async read(db, { teamIds }) {
    if (teamIds !== null) return [];
    const checks = await db.orm.senderCheck.findMany({ where: { isOk: false }, orderBy: { name: 'asc' } });
    return checks.map(
      ({ name, finding, detail, since }): AttentionItem => ({
        ...{ kind: 'SENDER_DNS', severity: 'WARNING', action: 'OPEN_GUIDE' },
        ...{ since, teamId: null, websiteId: null, formId: null, subject: name },
        facts: { check: name, finding, detail: `${NAMES[name] ?? name}: ${detail}` },
      }),
    );
  },
};
