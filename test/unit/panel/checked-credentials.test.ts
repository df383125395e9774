import { expect, test } from '@jest/globals';
import { IntlMessageFormat } from 'intl-messageformat';
import en from '../../../web/panel/texts/en.json' with { type: 'json' };
import fr from '../../../web/panel/texts/fr.json' with { type: 'json' };

test.each([
  ['en', en, 1, '1 step of 5 has credentials that its provider accepts.'],
  ['en', en, 0, '0 steps of 5 have credentials that their provider accepts.'],
  ['fr', fr, 1, '1 étape sur 5 a des identifiants que le fournisseur accepte.'],
  ['fr', fr, 4, '4 étapes sur 5 ont des identifiants que le fournisseur accepte.'],
] as const)(
  '%s: the steps with right credentials have a verb of their number',
  (language, texts, right, text) => {
    const message = new IntlMessageFormat(texts['console.checked'], language);
    expect(message.format({ right, count: 5 })).toBe(text);
  },
);
