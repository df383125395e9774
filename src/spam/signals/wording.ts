import { isForeign } from './languages.js';
import { ELSEWHERE, INTEREST, OFFERS, PRICE_TAGS, YOUR_BUSINESS } from './phrases/offers.js';
import { countMatches } from './phrases/phrase.js';
import { BLATANT, TOPICS } from './phrases/topics.js';
import { type Signal, stepOf, worth } from './signal.js';

/**
 * What is told by listed words and phrases. The model weighs these signals too: a new one, or other points, take part
 * in it once `node scripts/train-spam.js` has trained it again.
 */
export const WORDING = {
  blatant: {
    sentence: {
      en: 'It advertises what hardly anybody asks a client for: gambling, medicines, sex or easy money.',
      fr: 'Il vante ce qu’on ne demande guère à un client : jeux d’argent, médicaments, sexe ou argent facile.',
    },
    test: (message) => worth(stepOf(countMatches(BLATANT, message), [[1, 100]])),
  },
  topic: {
    sentence: {
      en: 'It speaks of what is often sold by form: rankings, links, websites, contacts, loans or crypto-currency.',
      fr: 'Il parle de ce qu’on vend souvent par formulaire : référencement, liens, sites, contacts, prêts ou cryptomonnaie.',
    },
    test: (message) =>
      worth(
        stepOf(countMatches(TOPICS, message), [
          [3, 70],
          [2, 60],
          [1, 50],
        ]),
      ),
  },
  offer: {
    sentence: {
      en: 'It offers something instead of asking for something.',
      fr: 'Il propose quelque chose au lieu de demander quelque chose.',
    },
    test: (message) =>
      worth(
        stepOf(countMatches(OFFERS, message), [
          [2, 85],
          [1, 50],
        ]),
      ),
  },
  interest: {
    sentence: {
      en: 'It asks whether the reader is interested.',
      fr: 'Il demande au lecteur s’il est intéressé.',
    },
    test: (message) => worth(countMatches(INTEREST, message) > 0 ? 30 : 0),
  },
  price_tag: {
    sentence: {
      en: 'It gives prices or savings as an advertisement does.',
      fr: 'Il donne des prix ou des économies comme une publicité.',
    },
    test: (message) => worth(countMatches(PRICE_TAGS, message) > 0 ? 35 : 0),
  },
  your_business: {
    sentence: {
      en: 'It speaks of the reader’s own business.',
      fr: 'Il parle de l’entreprise du lecteur.',
    },
    test: (message) => worth(countMatches(YOUR_BUSINESS, message) > 0 ? 25 : 0),
  },
  messenger: {
    sentence: {
      en: 'It leads to a messenger such as WhatsApp or Telegram.',
      fr: 'Il renvoie vers une messagerie comme WhatsApp ou Telegram.',
    },
    test: (message) => worth(countMatches(ELSEWHERE, message) > 0 ? 20 : 0),
  },
  language: {
    sentence: {
      en: 'It is in another language than its form.',
      fr: 'Il est dans une autre langue que son formulaire.',
    },
    test: ({ words, locale }) => worth(isForeign(words, locale) ? 15 : 0),
  },
} satisfies Record<string, Signal>;
