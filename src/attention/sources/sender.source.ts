import type { AttentionItem, AttentionSource } from '../attention-item.js';

/** What is wrong with the DNS of the sender's domain, as the last daily check has found it. */
export const senderSource: AttentionSource = {
  kinds: ['SENDER_DNS'],
  ofInstallation: true,
  async read(db) {
    const checks = await db.orm.senderCheck.findMany({ where: { isOk: false }, orderBy: { name: 'asc' } });
    return checks.map(
      ({ name, finding, detail, since }): AttentionItem => ({
        kind: 'SENDER_DNS',
        severity: 'WARNING',
        action: 'OPEN_GUIDE',
        since,
        teamId: null,
        websiteId: null,
        formId: null,
        subject: name,
        facts: { check: name, finding, detail },
      }),
    );
  },
};
