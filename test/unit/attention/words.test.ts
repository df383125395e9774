import { expect, test } from '@jest/globals';
import { summarize } from '../../../src/attention/attention.words.js';
import type { AttentionKind, Facts } from '../../../src/attention/attention-item.js';
import { ATTENTION_KINDS } from '../../../src/attention/attention-item.js';
import { FINDING_WORDS } from '../../../src/probes/finding.words.js';
import { FINDINGS } from '../../../src/probes/probe-step.js';

test.each<[AttentionKind, Facts, string]>([
  [
    'PROBE_FAILED',
    { failures: 2, step: 'page', finding: 'page_certificate' },
    '2 tests in a row failed. Browsers refuse the certificate of the page’s server. Renew it, or correct the address in the settings',
  ],
  [
    'PAGE_WITHOUT_SCRIPT',
    { failures: 2, finding: 'page_other_website' },
    'The page loads the script with the id of another website, which gets its leads. Replace the code by that of the tab Install',
  ],
  [
    'SENDER_DNS',
    { check: 'spf', finding: 'missing', detail: 'agency.test' },
    'SPF: agency.test has no such record. Publish a text record that begins with v=spf1 and names the mail server',
  ],
  [
    'SENDER_DNS',
    { check: 'dmarc', finding: 'several_records', detail: '_dmarc.agency.test' },
    'DMARC: _dmarc.agency.test has several records. Join the records into one: receivers ignore several',
  ],
  [
    'SILENT_WEBSITE',
    { silentHours: 30, usualHours: 0.5 },
    'No lead for 30 hours; usually there is one every 30 minutes',
  ],
  [
    'SILENT_WEBSITE',
    { silentHours: 9, usualHours: 1 },
    'No lead for 9 hours; usually there is one every hour',
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
  [
    'QUOTA_REACHED',
    { used: 3, limit: null, held: 40 },
    '40 e-mails are held back by a quota that was used up',
  ],
  ['TRANSLATIONS_MISSING', { count: 2, locales: 'de, en' }, '2 texts are not translated (German, English)'],
  ['CERTIFICATE_EXPIRING', { days: 1 }, 'The certificate expires in 1 day'],
  ['CERTIFICATE_EXPIRING', { days: 0 }, 'The certificate expires in less than a day'],
  ['CERTIFICATE_EXPIRING', { days: -1 }, 'The certificate has expired'],
])('an item %s is worded from its facts', (kind, facts, words) => {
  expect(summarize({ kind, facts }, 'en')).toBe(words);
});

test.each<[AttentionKind, Facts, string]>([
  [
    'QUOTA_NEAR',
    { used: 1, limit: 2, reachedOn: '2026-12-01' },
    '1 e-mail sur 2 utilisé\u00a0; à ce rythme, quota atteint le 1er décembre',
  ],
  ['QUOTA_NEAR', { used: 1, limit: 2, reachedOn: null }, '1 e-mail du mois sur 2 utilisé'],
  ['QUOTA_NEAR', { used: 430, limit: 500, reachedOn: null }, '430 e-mails du mois sur 500 utilisés'],
  ['QUOTA_REACHED', { held: 3, limit: 1 }, 'Le seul e-mail du mois est utilisé\u00a0; 3 sont retenus'],
])('an item %s is worded from its facts in French', (kind, facts, words) => {
  expect(summarize({ kind, facts }, 'fr')).toBe(words);
});

test('what a probe and the check of the DNS have found is told in French too, without a word of the API', () => {
  const inFrench = (kind: AttentionKind, facts: Facts) => summarize({ kind, facts }, 'fr');
  expect(inFrench('PROBE_FAILED', { failures: 3, step: 'recorded', finding: 'limit_reached' })).toBe(
    '3 tests de suite ont échoué. La passerelle a reçu trop de requêtes de l’adresse du test. Attendez une minute et refaites-le',
  );
  expect(inFrench('SENDER_DNS', { check: 'bounce_mx', finding: 'missing', detail: 'b.agency.test' })).toBe(
    'MX\u00a0: b.agency.test n’a pas cet enregistrement. Publiez un enregistrement MX qui mène aux workers, ou laissez BOUNCE_DOMAIN vide',
  );
  expect(inFrench('SENDER_DNS', { check: 'bounce_spf', finding: 'missing', detail: 'b.agency.test' })).toBe(
    'SPF\u00a0: b.agency.test n’a pas cet enregistrement. Publiez-en un pour BOUNCE_DOMAIN aussi\u00a0: les destinataires vérifient le domaine de l’enveloppe',
  );
});

test('every finding of a probe has sentences in both languages, with French punctuation kept together', () => {
  for (const words of Object.values(FINDING_WORDS)) {
    expect(Object.keys(words).sort()).toEqual(Object.keys(FINDINGS).sort());
    for (const sentences of Object.values(words)) expect(sentences).toMatch(/^\p{Lu}.*\.$/u);
  }
  const breaking = Object.values(FINDING_WORDS.fr).filter((sentences) => / [;:!?»]|« /.test(sentences));
  expect(breaking).toEqual([]);
});

test('every kind has words in both languages, without a full stop at the end and with French punctuation kept together', () => {
  const facts = new Proxy({}, { get: () => 3 }) as Facts;
  for (const kind of ATTENTION_KINDS) {
    const [english, french] = [summarize({ kind, facts }, 'en'), summarize({ kind, facts }, 'fr')];
    expect(english).toMatch(/^\S.*[^.]$/);
    expect(french).toMatch(/^\S.*[^.]$/);
    expect(french).not.toBe(english);
    expect(french).not.toMatch(/ [;:!?»]|« /);
  }
});
