import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';
import { domainOf } from '../../lib/text/email-address.js';
import type { Message } from '../message.js';
import { isGibberish } from './gibberish.js';
import { isForeignScript } from './languages.js';
import { LEARNT } from './learnt.js';
import { countMatches } from './phrases/phrase.js';
import { PRICE_PROBE } from './phrases/price-probe.js';
import { REQUESTS } from './phrases/requests.js';
import { type Evidence, type SeenElsewhere, type Sentence, type Signal, stepOf, worth } from './signal.js';
import { WORDING } from './wording.js';

/** Domains of throw-away addresses; the package would build the set anew for each question. */
const THROW_AWAY: ReadonlySet<string> = disposableEmailBlocklistSet();

/** More points than any threshold: what a team has decided itself. */
const DECISIVE = 1_000;

/** Seconds from its page's signature up to which a message was hardly typed by a person. */
const HASTE_S = 3;

/** Words up to which a message asks for nothing in particular. */
const FEW_WORDS = 10;

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

/** The share of a text that its links take. */
const linkShare = ({ text, links }: Message): number =>
  links.reduce((length, link) => length + link.length, 0) / Math.max(1, text.length);

/**
 * Every signal by its name, under which a verdict keeps it: to add one is to add an entry.
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
    fr: 'Il contient « {detail} », que l’équipe a bloqué.',
  }),
  ...WORDING,
  request: {
    sentence: {
      en: 'It asks for something, as leads do.',
      fr: 'Il demande quelque chose, comme le font les demandes.',
    },
    test: (message) => worth(countMatches(REQUESTS, message) > 0 ? -40 : 0),
  },
  price_probe: {
    sentence: {
      en: 'It asks for “your price” and for nothing else, as a campaign in many languages does.',
      fr: 'Il demande « votre prix » et rien d’autre, comme le fait une campagne en de nombreuses langues.',
    },
    test: ({ plain, words }) => worth(words.length <= FEW_WORDS && PRICE_PROBE.test(plain) ? 150 : 0),
  },
  links: {
    sentence: {
      en: 'It contains links to other websites: {count}.',
      fr: 'Il contient des liens vers d’autres sites : {count}.',
    },
    // One or two the model weighs, in the scripts that it knows.
    test: (message) => {
      const count = message.links.length;
      const points = stepOf(count, [
        [5, 100],
        [3, 60],
        [1, isForeignScript(message) ? 15 : 0],
      ]);
      return worth(points, { count });
    },
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
    test: ({ text }) => worth(/<a\s[^>]{0,200}href|\[(?:url|link)[=\]]/i.test(text) ? 80 : 0),
  },
  script: {
    sentence: {
      en: 'It is written in other letters than the language of its form.',
      fr: 'Il est écrit dans d’autres caractères que la langue de son formulaire.',
    },
    test: (message) => worth(isForeignScript(message) ? 85 : 0),
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
  haste: {
    sentence: {
      en: 'It was sent at most {count} seconds after its page asked for a signature.',
      fr: 'Il a été envoyé {count} secondes au plus après que sa page a demandé une signature.',
    },
    // A page with code of its own may ask for the signature at the click.
    isWeak: true,
    test: (_, { signatureAgeS }) =>
      worth(signatureAgeS !== null && signatureAgeS <= HASTE_S ? 10 : 0, { count: HASTE_S }),
  },
  same_text: elsewhere(
    'text',
    [
      [5, 100],
      [3, 70],
    ],
    {
      en: 'The same text came through other websites within a day: {count}.',
      fr: 'Le même texte est passé par d’autres sites en un jour : {count}.',
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
      fr: 'La même adresse e-mail est passée par d’autres sites en un jour : {count}.',
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
      fr: 'Le même numéro de téléphone est passé par d’autres sites en un jour : {count}.',
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
      fr: 'Le même lien est passé par d’autres sites en un jour : {count}.',
    },
  ),
  ...LEARNT,
} satisfies Record<string, Signal>;

export type SignalName = keyof typeof SIGNALS;

/** Tells whether a stored name is of a signal there is: a later version may have removed one. */
export const isSignalName = (name: string): name is SignalName => Object.hasOwn(SIGNALS, name);
