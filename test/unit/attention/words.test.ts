import { expect, test } from '@jest/globals';
import { summarize } from '../../../src/attention/attention.words.js';
import type { AttentionKind, Facts } from '../../../src/attention/attention-item.js';
import { ATTENTION_KINDS } from '../../../src/attention/attention-item.js';

test.each<[AttentionKind, Facts, string]>([
  [
    'SILENT_WEBSITE',
    { silentHours: 30, usualHours: 0.5 },
    'No lead for 30 hours; usually there is one every 30 minutes',
  ],
  [
    'MAIL_HELD',
    { count: 1, oldestHours: 0.2 },
    '1 e-mail waits for the mail server, the oldest for 12 minutes',
  ],
  ['MAIL_FAILING', { failed: 0, without: 2 }, '2 leads have no recipient'],
  [
    'QUOTA_NEAR',
    { used: 1_430, limit: 1_500, reachedOn: null },
    '1,430 of 1,500 e-mails of the month are used',
  ],
  ['CERTIFICATE_EXPIRING', { days: 1 }, 'The certificate expires in 1 day'],
  ['CERTIFICATE_EXPIRING', { days: 0 }, 'The certificate has expired'],
])('an item %s is worded from its facts', (kind, facts, words) => {
  expect(summarize({ kind, facts }, 'en')).toBe(words);
});

test('every kind has words in both languages, which end without a full stop', () => {
  const facts = new Proxy({}, { get: () => 3 }) as Facts;
  for (const kind of ATTENTION_KINDS) {
    const [english, french] = [summarize({ kind, facts }, 'en'), summarize({ kind, facts }, 'fr')];
    expect(english).toMatch(/^\S.*[^.]$/);
    expect(french).toMatch(/^\S.*[^.]$/);
    expect(french).not.toBe(english);
  }
});
