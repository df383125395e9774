import { expect, test } from '@jest/globals';
import type { MailMessage } from '../../../src/mail/message.js';
import { renderAccountEmail } from '../../../src/notifications/account-email/account-email.template.js';
import type { StaffEmailContent } from '../../../src/staff-emails/staff-email.js';
import { renderStaffEmail } from '../../../src/staff-emails/staff-email.template.js';
import { renderMonthlyReport } from '../../../src/submissions/monthly-report/monthly-report.template.js';
import { renderSpamDigest } from '../../../src/submissions/spam-digest/spam-digest.template.js';

const PANEL = 'https://forms.agency.test/panel';
const createdAt = new Date('2026-11-24T06:30:00Z');
const recipient = 'anna@agency.test';
const totals = { leads: 1, visitors: 2, pageViews: 3 };

const staffEmail = (content: StaffEmailContent): MailMessage =>
  renderStaffEmail({
    id: '1',
    createdAt,
    content,
    recipient,
    language: 'en',
    publicUrl: 'https://forms.agency.test',
    timeZone: 'Europe/Paris',
  });

const EMAILS: readonly (readonly [string, () => MailMessage, readonly string[]])[] = [
  [
    'the digest for staff',
    () =>
      staffEmail({
        kind: 'digest',
        total: 1,
        keys: [],
        items: [
          {
            kind: 'MAIL_FAILING',
            severity: 'WARNING',
            facts: { failed: 2, without: 0 },
            about: ['<Quay> & House'],
            isNew: true,
            path: '/inbox?folder=failed&website=1',
          },
        ],
      }),
    [`${PANEL}/inbox?folder=failed&website=1`, `${PANEL}/`],
  ],
  [
    'an alert',
    () => staffEmail({ kind: 'alert', alert: 'mail_held', since: createdAt.toISOString() }),
    [`${PANEL}/`],
  ],
  [
    'the end of an alert',
    () => staffEmail({ kind: 'alert_over', alert: 'mail_held', since: createdAt.toISOString() }),
    [`${PANEL}/`],
  ],
  [
    'what staff read of a lead that nobody got',
    () => staffEmail({ kind: 'lead_undelivered', leadId: '7', website: 'Acme', addresses: ['a@acme.test'] }),
    [`${PANEL}/inbox/7`],
  ],
  [
    'the digest of spam',
    () =>
      renderSpamDigest({
        key: { teamId: 4, week: '2026-11-16', userId: 5 },
        createdAt,
        since: createdAt,
        until: createdAt,
        teamName: 'Acme',
        locale: 'fr',
        recipient,
        total: 0,
        newest: [],
        panelUrl: PANEL,
      }),
    [`${PANEL}/inbox?team=4&folder=spam`, `${PANEL}/teams/4?tab=spam`],
  ],
  [
    'the report of a month',
    () =>
      renderMonthlyReport({
        key: { teamId: 4, month: '2026-10', userId: 5 },
        createdAt,
        teamName: 'Acme',
        locale: 'en',
        recipient,
        address: `${PANEL}/statistics?team=4`,
        figures: { totals, before: totals, languages: [], pages: [], campaigns: [] },
      }),
    [`${PANEL}/statistics?team=4`],
  ],
  [
    'a one-time link',
    () =>
      renderAccountEmail({
        link: { id: '1', createdAt, purpose: 'password_reset' },
        address: `${PANEL}/reset#1.x`,
        host: 'formgate.test',
        teamName: null,
        inviter: null,
        locale: 'fr',
        recipient,
      }),
    [`${PANEL}/reset#1.x`],
  ],
];

test.each(EMAILS)(
  '%s has links that can be followed, with words, and none as bare text',
  (_name, render, urls) => {
    const { text, html } = render();
    const links = [...html.matchAll(/<a href="([^"]*)"[^>]*>([^<]+)<\/a>/g)];
    expect(links.map(([, url]) => url!.replaceAll('&amp;', '&'))).toEqual(urls);
    expect(html.replaceAll(/<a [^>]*>[^<]*<\/a>/g, '')).not.toMatch(/https?:/);
    for (const url of urls) expect(text).toContain(url);
  },
);
