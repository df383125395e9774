import { expect, test } from '@jest/globals';
import { renderQuotaNotice } from '../../../src/notifications/quota-notice/quota-notice.template.js';
import { quotaNoticeWords } from '../../../src/notifications/quota-notice/quota-notice.words.js';

test.each([
  ['de', 'zurückgehalten', 'auch nicht im Monat darauf', 'Tarif', 'Panel'],
  ['en', 'held back', 'not even in the month after', 'plan', 'panel'],
  ['es', 'retenidos', 'ni siquiera el mes siguiente', 'plan', 'panel'],
  ['fr', 'retenus', 'pas même le mois suivant', 'offre', 'panneau'],
  ['it', 'trattenute', 'nemmeno il mese successivo', 'piano', 'pannello'],
  ['nl', 'vastgehouden', 'ook de maand daarna niet', 'abonnement', 'paneel'],
  ['pt', 'retidos', 'nem no mês seguinte', 'plano', 'painel'],
])(
  '%s: held e-mails wait for a larger plan and for the panel, not for the next month',
  (locale, ...words) => {
    const { language, consequence } = quotaNoticeWords(locale);
    expect(language).toBe(locale);
    for (const word of words) expect(consequence[100]('x')).toContain(word);
  },
);

/* The unit of a lead that is released or sent again later is that of the month in which it came. */
test.each([
  ['de', 'August 2026'],
  ['en', 'August 2026'],
  ['es', 'agosto de 2026'],
  ['fr', 'août 2026'],
  ['it', 'agosto 2026'],
  ['nl', 'augustus 2026'],
  ['pt', 'agosto de 2026'],
])('%s: the notice names the month, which may be over', (locale, month) => {
  const { subject, text } = renderQuotaNotice({
    key: { teamId: 4, month: '2026-08', percent: 100 },
    createdAt: new Date('2026-09-01T10:00:00Z'),
    teamName: 'Acme',
    limit: 10,
    locale,
    recipients: ['a@acme.test'],
  });
  expect(subject).toContain(month);
  expect(quotaNoticeWords(locale).consequence[100](month)).toContain(month);
  expect(text).toContain(quotaNoticeWords(locale).consequence[100](month));
});
