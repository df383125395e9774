import { expect, test } from '@jest/globals';
import { summarize } from '../../../src/attention/attention.words.js';
import { regionalLocale } from '../../../src/lib/text/regional-locale.js';
import { renderQuotaNotice } from '../../../src/notifications/quota-notice/quota-notice.template.js';
import { renderTokenNotice } from '../../../src/notifications/token-notice/token-notice.template.js';
import { renderStaffEmail } from '../../../src/staff-emails/staff-email.template.js';

/* Dates and numbers of e-mails are those of Europe where the language has no region. */

const createdAt = new Date('2026-12-31T15:05:00Z');

test.each([
  ['en', 'en-GB'],
  ['pt', 'pt-PT'],
  ['en-US', 'en-US'],
  ['pt-BR', 'pt-BR'],
  ['fr', 'fr'],
  ['', ''],
  ['constructor', 'constructor'],
])('the formats of %j are those of %j', (locale, region) => {
  expect(regionalLocale(locale)).toBe(region);
});

test.each([
  ['en', 'Ends: Thursday, 31 December 2026 at 15:05 UTC'],
  ['pt', 'quinta-feira, 31 de dezembro de 2026 às 15:05 UTC'],
  ['fr', 'jeudi 31 décembre 2026 à 15:05 UTC'],
])('a notice about a token in %s tells its end: %s', (locale, end) => {
  const { text } = renderTokenNotice({
    key: { tokenId: 7, reason: 'ending' },
    createdAt,
    teamName: 'Acme',
    tokenName: 'Site',
    lastUsedAt: null,
    expiresAt: createdAt,
    locale,
    url: 'https://forms.agency.test/panel/tokens',
    recipient: 'anna@agency.test',
  });
  expect(text).toContain(end);
});

test.each([
  ['alert', 'Since: Thursday, 31 December 2026 at 14:05 CET'],
  ['alert_over', 'Period: Thursday, 31 December 2026, 14:05–16:05 CET'],
] as const)('an e-mail to staff of the kind %s gives the time with its zone', (kind, time) => {
  const { text } = renderStaffEmail({
    id: '1',
    createdAt,
    content: { kind, alert: 'mail_held', since: '2026-12-31T13:05:00Z' },
    language: 'en',
    recipient: 'anna@agency.test',
    publicUrl: 'https://forms.agency.test',
    timeZone: 'Europe/Paris',
  });
  expect(text.replaceAll(/\s?–\s?/g, '–')).toContain(time);
});

test('a quota in an e-mail has the separators of its language', () => {
  const notice = { key: { teamId: 4, month: '2026-12', percent: 80 }, createdAt, teamName: 'Acme' } as const;
  const textIn = (locale: string) =>
    renderQuotaNotice({ ...notice, limit: 10_000, locale, recipients: ['a@acme.test'] }).text;
  expect(textIn('en')).toContain('Notifications per month: 10,000\n');
  expect(textIn('de')).toContain('Benachrichtigungen pro Monat: 10.000\n');
});

test('a day in the digest for staff stands before its month', () => {
  const facts = { used: 900, limit: 1_000, reachedOn: '2026-12-31' };
  expect(summarize({ kind: 'QUOTA_NEAR', facts }, 'en')).toContain('reached on 31 December');
});
