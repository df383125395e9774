import type { Message } from '../message.js';
import { spellingsOf, wordsOf } from '../plain-text.js';
import { WORDING } from '../signals/wording.js';
import { WEIGHTS } from './weights.js';

/** Number of weights: features are hashed to their index. A power of two. */
export const MODEL_SIZE = 65_536;

/** Maximum number of words that are read, which bounds the time that a message takes. */
const MAX_WORDS = 300;

/** Lengths of the parts of words that are features: they tell a word's forms and typing errors alike. */
const MIN_PART = 3;
const MAX_PART = 5;

/** Words without digits from which the model has a say: a greeting alone says nothing. */
const MIN_WORDS = 4;

/** A model: a weight for each feature and each signal of the wording, and the odds of a message without any. */
type Model = Readonly<{
  bias: number;
  weights: ArrayLike<number>;
  signals: Readonly<Record<string, number>>;
}>;

const CURRENCY = /[$€£]|\b(?:usd|eur|euros?|dollars?)\b/;

/** Hashes a feature to the index of its weight (FNV-1a with a final mix). */
function indexOf(feature: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < feature.length; index++) {
    hash = Math.imul(hash ^ feature.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) & (MODEL_SIZE - 1);
}

/** Lists the parts of a word between marks for its begin and end. */
function* partsOf(word: string): Generator<string> {
  const marked = `<${word}>`.slice(0, 32);
  for (let length = MIN_PART; length <= MAX_PART; length++) {
    for (let start = 0; start + length <= marked.length; start++) yield marked.slice(start, start + length);
  }
}

/** Lists what a message has besides words: links, money, shares, marks, and how long it is. */
function structureOf({ plain, links, words }: Message): string[] {
  const marks: [string, boolean][] = [
    ['money', CURRENCY.test(plain)],
    ['percent', plain.includes('%')],
    ['question', plain.includes('?')],
    ['exclamation', plain.includes('!')],
  ];
  return [
    `links:${Math.min(3, links.length)}`,
    `length:${Math.min(6, Math.floor(Math.min(words.length, MAX_WORDS) / 6))}`,
    ...marks.filter(([, isThere]) => isThere).map(([name]) => name),
  ];
}

/** Lists what a word and its parts are in the model, as indexes of weights. */
const wordFeatures = (word: string): number[] => [
  indexOf(`1 ${word}`),
  ...Array.from(partsOf(word), (part) => indexOf(`part ${part}`)),
];

/** The words that are read; what contains a digit is the same to the model. */
const wordsRead = ({ words }: Message): string[] =>
  words.slice(0, MAX_WORDS).map((word) => (/\d/.test(word) ? '0' : word));

/** Returns the features of a message as indexes of weights: parts of words, runs of up to three words, structure. */
export function modelFeatures(message: Message): number[] {
  const words = wordsRead(message);
  const features = new Set(structureOf(message).map(indexOf));
  words.forEach((word, index) => {
    for (const feature of wordFeatures(word)) features.add(feature);
    if (index > 0) features.add(indexOf(`2 ${words[index - 1]} ${word}`));
    if (index > 1) features.add(indexOf(`3 ${words[index - 2]} ${words[index - 1]} ${word}`));
  });
  return [...features];
}

/**
 * Lists the signals of the wording that a message gives, each with its step. Unlike words, they mean the same in every
 * language.
 */
export const modelSignals = (message: Message): string[] =>
  Object.entries(WORDING).flatMap(([name, { test }]) => {
    const found = test(message);
    return found ? [`${name} ${found.points}`] : [];
  });

const SHIPPED: Model = {
  bias: WEIGHTS.bias,
  signals: WEIGHTS.signals,
  weights: Float32Array.from(
    new Int8Array(Buffer.from(WEIGHTS.quantized, 'base64')),
    (weight) => weight * WEIGHTS.scale,
  ),
};

/** Tells whether a message has words enough for the model. */
export const hasEnoughWords = (message: Message): boolean =>
  message.words.filter((word) => !/\d/.test(word)).length >= MIN_WORDS;

/** Computes the log-odds that a message is spam by a linear model: that which is shipped. */
export function modelOdds(message: Message, { bias, weights, signals }: Model = SHIPPED): number {
  const features = modelFeatures(message);
  const scale = 1 / Math.sqrt(features.length);
  const ofWords = features.reduce((sum, feature) => sum + weights[feature]! * scale, 0);
  const ofSignals = modelSignals(message).reduce((sum, signal) => sum + (signals[signal] ?? 0), 0);
  return bias + ofWords + ofSignals;
}

/** Maximum length of a word that is named. */
const MAX_NAMED = 32;

/** Letters from which a word is named rather than a shorter one, which is mostly an article or a pronoun. */
const LONG = 4;

/**
 * Lists the words that speak most for spam as they were typed, the heaviest first; a message with enough words has one
 * at least. The longest value is looked at, since names stand in others, unless it has only numbers and links.
 */
export function heaviestWords(message: Message, count: number): string[] {
  const weightOf = (word: string) =>
    wordFeatures(word).reduce((sum, feature) => sum + SHIPPED.weights[feature]!, 0);
  const spellings = spellingsOf(message.text);
  const inLinks = new Set(message.links.flatMap((link) => wordsOf(link)));
  const nameable = (words: readonly string[]) =>
    [...new Set(words.slice(0, MAX_WORDS))].filter((word) => !/\d/.test(word) && !inLinks.has(word));
  const inBody = nameable(wordsOf(message.body));
  const words = inBody.length > 0 ? inBody : nameable(message.words);
  const long = words.filter((word) => word.length >= LONG);
  const [heaviest, ...others] = (long.length > 0 ? long : words)
    .map((word) => ({ word, weight: weightOf(word) }))
    .sort((one, other) => other.weight - one.weight);
  if (!heaviest) return [];
  return [heaviest, ...others.filter(({ weight }) => weight > 0)]
    .slice(0, count)
    .map(({ word }) => (spellings.get(word) ?? word).slice(0, MAX_NAMED));
}
