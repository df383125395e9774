import type { Message } from '../message.js';
import { hasEnoughWords, heaviestWords } from '../model/model.js';
import { isForeignScript, isKnownLanguage } from './languages.js';
import { type Signal, stepOf, worth } from './signal.js';
import { WORDING } from './wording.js';

/** Points for each unit of the model's log-odds: 3.5 reach the usual threshold. */
const POINTS_OF_ODDS = 28.5;
const MAX_BY_MODEL = 150;

/**
 * Points from which the model takes none off the wording, and the most that it takes: padding must not hide a pitch.
 */
const SURE = 100;
const MAX_TAKEN_OFF = 60;

/** Number of words that a reason names. */
const NAMED_WORDS = 3;

/** The points of the signals that the model weighs too. */
const wordingPoints = (message: Message): number =>
  Object.values(WORDING).reduce((sum, { test }) => sum + (test(message)?.points ?? 0), 0);

/**
 * The points that the model adds to those of the wording, up to its own, or takes off them: it has read many requests
 * that hold an advertiser's words. It has no say on languages and scripts that it has not read.
 */
function modelPoints(message: Message, odds: number): number {
  if (!hasEnoughWords(message) || !isKnownLanguage(message.locale) || isForeignScript(message)) return 0;
  const own = Math.min(MAX_BY_MODEL, Math.round(POINTS_OF_ODDS * odds));
  const wording = wordingPoints(message);
  if (own >= wording) return Math.max(0, own - wording);
  return own >= SURE ? 0 : Math.max(own - wording, -wording, -MAX_TAKEN_OFF);
}

/** What was learnt: by the shipped model from its corpus, and by the classifier from the staff's verdicts. */
export const LEARNT = {
  reads_like_spam: {
    sentence: {
      en: 'It reads like spam that comes through forms, mostly for the words “{detail}”.',
      fr: 'Il se lit comme le spam qui passe par les formulaires, surtout à cause des mots « {detail} ».',
    },
    test: (message, { modelOdds }) => {
      const points = Math.max(0, modelPoints(message, modelOdds));
      return points === 0 ? null : worth(points, { detail: heaviestWords(message, NAMED_WORDS).join(', ') });
    },
  },
  other_words: {
    sentence: {
      en: 'Its other words speak less for spam.',
      fr: 'Ses autres mots parlent moins pour du spam.',
    },
    test: (message, { modelOdds }) => worth(Math.min(0, modelPoints(message, modelOdds))),
  },
  learnt_spam: {
    sentence: {
      en: 'It reads like messages that the staff marked as spam.',
      fr: 'Il se lit comme des messages que l’agence a marqués comme spam.',
    },
    test: (_, { logOdds }) =>
      worth(
        stepOf(logOdds ?? 0, [
          [9, 20],
          [3, 10],
          [1.5, 5],
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
