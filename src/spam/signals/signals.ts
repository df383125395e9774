import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';
import { domainOf, type Message } from '../message.js';
import { foreignScriptShare, isForeign } from './languages.js';
import {
  BLATANT,
  ELSEWHERE,
  INTEREST,
  OFFERS,
  PRICE_PROBE,
  PRICE_TAGS,
  REQUESTS,
  TOPICS,
  YOUR_BUSINESS,
} from './phrases.js';
import type { Evidence, Finding, SeenElsewhere, Sentence, Signal } from './signal.js';

/** Domains of throw-away addresses; the package would build the set anew for each question. */
const THROW_AWAY: ReadonlySet<string> = disposableEmailBlocklistSet();

/** More points than any threshold: what a team has decided itself. */
const DECISIVE = 1_000;

/** Words up to which a message asks for nothing in particular. */
const FEW_WORDS = 10;

/** A finding of a number of points, unless there are none. */
const worth = (points: number, found: Omit<Finding, 'points'> = {}): Finding | null =>
  points === 0 ? null : { points, ...found };

/** Finds the points of a count in steps of `[at least, points]`, the highest first. */
const stepOf = (count: number, steps: readonly (readonly [number, number])[]): number =>
  steps.find(([least]) => count >= least)?.[1] ?? 0;

const decided = (key: keyof Evidence['blocked'], sentence: Sentence): Signal => ({
  sentence,
  test: (_, { blocked }) => worth(blocked[key] === null ? 0 : DECISIVE, { detail: blocked[key] ?? '' }),
});

/** A visitor may ask several of an agency's clients for a quote, so few websites weigh little. */
const elsewhere = (
  key: keyof SeenElsewhere,
  steps: readonly (readonly [number, number])[],
  sentence: Sentence,
): Signal => ({
  sentence,
  test: (_, { seenElsewhere }) => worth(stepOf(seenElsewhere[key], steps), { count: seenElsewhere[key] }),
});

/** Counts the different phrases of some patterns that a message contains. */
const countMatches = (patterns: readonly RegExp[], { plain }: Message): number =>
  new Set(patterns.flatMap((pattern) => plain.match(pattern) ?? [])).size;

/** The share of a text that its links take. */
const linkShare = ({ text, links }: Message): number =>
  links.reduce((length, link) => length + link.length, 0) / Math.max(1, text.length);

/** Matches a word that was drawn at random: capitals again and again within it, or consonants in a row. */
const RANDOM_WORD =
  /^(?=.{8,}$)(?:\w*[a-z][A-Z]\w*[a-z][A-Z]\w*[a-z][A-Z]\w*|[b-df-hj-np-tv-z]{7,}\w*|\w*[a-z][A-Z]+[a-z]\w*[A-Z]{2,}\w*)$/;

/** Whether each of a text's long words was drawn at random, and it has little else. */
function isGibberish({ text }: Message): boolean {
  const words = text.split(/\s+/).filter((word) => word.length > 0);
  const random = words.filter((word) => RANDOM_WORD.test(word));
  return random.length > 0 && random.length * 2 >= words.length;
}

/**
 * Every signal by its name, under which a verdict keeps it: to add one is to add an entry. A threshold of 100 wants
 * two that agree, or one that leaves no doubt.
 */
export const SIGNALS = {
  blocked_sender: decided('sender', {
    en: 'The team has blocked the sender {detail}.',
    fr: 'L’équipe a bloqué l’expéditeur {detail}.',
  }),
  blocked_domain: decided('domain', {
    en: 'The team has blocked the domain {detail}.',
    fr: 'L’équipe a bloqué le domaine {detail}.',
  }),
  blocked_word: decided('word', {
    en: 'It contains “{detail}”, which the team has blocked.',
    fr: 'Il contient « {detail} », que l’équipe a bloqué.',
  }),
  blatant: {
    sentence: {
      en: 'It advertises what hardly anybody asks a client for: gambling, medicines, sex or easy money.',
      fr: 'Il vante ce qu’on ne demande guère à un client : jeux d’argent, médicaments, sexe ou argent facile.',
    },
    test: (message) => worth(stepOf(countMatches(BLATANT, message), [[1, 100]])),
  },
  topic: {
    sentence: {
      en: 'It speaks of what is often sold by form: rankings, links, websites, contacts, loans or crypto-currency.',
      fr: 'Il parle de ce qu’on vend souvent par formulaire : référencement, liens, sites, contacts, prêts ou cryptomonnaie.',
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
  price_probe: {
    sentence: {
      en: 'It asks for “your price” and for nothing else, as a campaign in many languages does.',
      fr: 'Il demande « votre prix » et rien d’autre, comme le fait une campagne en de nombreuses langues.',
    },
    test: ({ plain, words }) => worth(words.length <= FEW_WORDS && PRICE_PROBE.test(plain) ? 150 : 0),
  },
  request: {
    sentence: {
      en: 'It asks for something, as leads do.',
      fr: 'Il demande quelque chose, comme le font les demandes.',
    },
    test: (message) => worth(countMatches(REQUESTS, message) > 0 ? -40 : 0),
  },
  links: {
    sentence: {
      en: 'It contains links to other websites: {count}.',
      fr: 'Il contient des liens vers d’autres sites : {count}.',
    },
    test: ({ links: { length } }) =>
      worth(
        stepOf(length, [
          [5, 100],
          [3, 60],
          [2, 30],
          [1, 15],
        ]),
        { count: length },
      ),
  },
  mostly_links: {
    sentence: {
      en: 'Links are most of the text.',
      fr: 'Les liens sont l’essentiel du texte.',
    },
    test: (message) => worth(linkShare(message) > 0.4 ? 45 : 0),
  },
  markup: {
    sentence: {
      en: 'It contains links in HTML or forum code.',
      fr: 'Il contient des liens en HTML ou en code de forum.',
    },
    test: ({ text }) => worth(/<a\s[^>]*href|\[(?:url|link)[=\]]/i.test(text) ? 80 : 0),
  },
  script: {
    sentence: {
      en: 'It is written in other letters than the language of its form.',
      fr: 'Il est écrit dans d’autres caractères que la langue de son formulaire.',
    },
    test: ({ text, locale }) => worth(foreignScriptShare(text, locale) > 0.3 ? 85 : 0),
  },
  language: {
    sentence: {
      en: 'It is in another language than its form.',
      fr: 'Il est dans une autre langue que son formulaire.',
    },
    test: ({ words, locale }) => worth(isForeign(words, locale) ? 15 : 0),
  },
  gibberish: {
    sentence: {
      en: 'It consists of letters at random.',
      fr: 'Il se compose de lettres au hasard.',
    },
    test: (message) => worth(isGibberish(message) ? 100 : 0),
  },
  disposable: {
    sentence: {
      en: 'Its e-mail address is of a service for throw-away addresses ({detail}).',
      fr: 'Son adresse e-mail est d’un service d’adresses jetables ({detail}).',
    },
    test({ emails }) {
      const found = emails.map(domainOf).find((domain) => THROW_AWAY.has(domain));
      return worth(found ? 50 : 0, { detail: found ?? '' });
    },
  },
  same_text: elsewhere(
    'text',
    [
      [5, 100],
      [3, 70],
    ],
    {
      en: 'The same text came through other websites within a day: {count}.',
      fr: 'Le même texte est passé par d’autres sites en un jour : {count}.',
    },
  ),
  same_email: elsewhere(
    'email',
    [
      [6, 60],
      [3, 30],
    ],
    {
      en: 'The same e-mail address came through other websites within a day: {count}.',
      fr: 'La même adresse e-mail est passée par d’autres sites en un jour : {count}.',
    },
  ),
  same_phone: elsewhere(
    'phone',
    [
      [6, 60],
      [3, 30],
    ],
    {
      en: 'The same telephone number came through other websites within a day: {count}.',
      fr: 'Le même numéro de téléphone est passé par d’autres sites en un jour : {count}.',
    },
  ),
  same_link: elsewhere(
    'link',
    [
      [6, 100],
      [3, 70],
      [1, 40],
    ],
    {
      en: 'The same link came through other websites within a day: {count}.',
      fr: 'Le même lien est passé par d’autres sites en un jour : {count}.',
    },
  ),
  learnt_spam: {
    sentence: {
      en: 'It reads like messages that the staff marked as spam.',
      fr: 'Il se lit comme des messages que l’agence a marqués comme spam.',
    },
    test: (_, { logOdds }) =>
      worth(
        stepOf(logOdds ?? 0, [
          [9, 65],
          [3, 50],
          [1.5, 25],
        ]),
      ),
  },
  learnt_lead: {
    sentence: {
      en: 'It reads like leads that the staff handled.',
      fr: 'Il se lit comme des demandes que l’agence a traitées.',
    },
    test: (_, { logOdds }) =>
      worth(
        -stepOf(-(logOdds ?? 0), [
          [9, 60],
          [5, 40],
          [2.5, 20],
        ]),
      ),
  },
} satisfies Record<string, Signal>;

export type SignalName = keyof typeof SIGNALS;

/** Tells whether a stored name is of a signal there is: a later version may have removed one. */
export const isSignalName = (name: string): name is SignalName => Object.hasOwn(SIGNALS, name);
