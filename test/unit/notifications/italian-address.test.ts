import { expect, test } from '@jest/globals';
import { accountEmailWords } from '../../../src/notifications/account-email/account-email.words.js';
import { quotaNoticeWords } from '../../../src/notifications/quota-notice/quota-notice.words.js';
import { wordsFor } from '../../../src/notifications/submission-email/submission-email.words.js';
import { tokenNoticeWords } from '../../../src/notifications/token-notice/token-notice.words.js';
import { webhookNoticeWords } from '../../../src/notifications/webhook-notice/webhook-notice.words.js';

/** Writes every text of a table out, those with values too. */
const textsOf = (words: unknown): string[] => {
  if (typeof words === 'function') return [String(words('x', 'x', 'x'))];
  return typeof words === 'object' && words !== null
    ? Object.values(words).flatMap(textsOf)
    : [String(words)];
};

test.each([
  ['about an account', accountEmailWords],
  ['about the quota', quotaNoticeWords],
  ['about a lead', wordsFor],
  ['about a token', tokenNoticeWords],
  ['about a webhook', webhookNoticeWords],
])('an Italian e-mail %s says Lei, neither tu nor voi', (_, wordsOf) => {
  const text = textsOf(wordsOf('it')).join('\n');
  expect(text).not.toMatch(
    /\b(?:tu[oaei]?|tuoi|voi|vostr[oaei]|potete|puoi|gestisci|revocatelo|createne|riattivate)\b/i,
  );
  // Of the one who reads; "il suo controllo" is the service's.
  expect(text.replace('il suo controllo', '')).not.toMatch(/\b(?:suo|sua|suoi|sue|lei)\b/);
});
