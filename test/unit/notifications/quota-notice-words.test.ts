import { expect, test } from '@jest/globals';
import { quotaNoticeWords } from '../../../src/notifications/quota-notice/quota-notice.words.js';

test.each([
  ['de', 'zurückgehalten', 'auch nicht im nächsten Monat', 'Tarif', 'Panel'],
  ['en', 'held back', 'not even next month', 'plan', 'panel'],
  ['es', 'retenidos', 'ni siquiera el mes siguiente', 'plan', 'panel'],
  ['fr', 'retenus', 'pas même le mois prochain', 'offre', 'panneau'],
  ['it', 'trattenute', 'nemmeno il mese prossimo', 'piano', 'pannello'],
  ['nl', 'vastgehouden', 'ook volgende maand niet', 'abonnement', 'paneel'],
  ['pt', 'retidos', 'nem no próximo mês', 'plano', 'painel'],
])(
  '%s: held e-mails wait for a larger plan and for the panel, not for the next month',
  (locale, ...words) => {
    const { language, consequence } = quotaNoticeWords(locale);
    expect(language).toBe(locale);
    for (const word of words) expect(consequence[100]).toContain(word);
  },
);
