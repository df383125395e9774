import { createHash } from 'node:crypto';
import { domainOf } from '../lib/text/email-address.js';
import type { Message } from './message.js';
import { FREQUENT } from './signals/languages.js';

/** Verdicts of each kind from which the classifier has a say. */
export const MIN_SAMPLES = 50;

/** Maximum number of words whose features are looked at: more would make long messages certain. */
const MAX_WORDS = 400;

/** Minimum length of a word that tells something. */
const MIN_LENGTH = 4;

/** Features that decide, those that tell most: the many that tell little would drown them. */
const DECIDING = 24;

/** Weight of one sample that was not seen, so that a feature of few samples tells little. */
const SMOOTHING = 0.5;

/** How much a single feature may tell, as a natural logarithm. */
const MAX_SHARE = 3;

/** The feature that counts the samples themselves. */
export const SAMPLES = 0;

/** In how many samples of each kind a feature is. */
export type FeatureCount = Readonly<{ feature: number; spam: number; leads: number }>;

/** How many samples of each kind there are. */
export type SampleCounts = Readonly<{ spam: number; leads: number }>;

/** Hashes a feature to 31 bits, of which 0 is taken; a collision costs a little exactness. */
const hashOf = (feature: string): number =>
  createHash('sha256').update(feature).digest().readUInt32BE() & 0x7fffffff || 1;

/** Whether a word tells more than the language that it is of, in which spam may be more frequent than leads. */
const isTelling = (word: string): boolean => word.length >= MIN_LENGTH && !FREQUENT.has(word);

/** Returns the features of a message: hashes of its words, pairs of words, and of where it leads and comes from. */
export function featuresOf({ words, links, emails }: Message): number[] {
  const some = words.slice(0, MAX_WORDS).map((word) => (/^\d+$/.test(word) ? '#' : word));
  const telling = some.filter(isTelling);
  const pairs = some.slice(1).flatMap((word, index) => {
    const before = some[index]!;
    return isTelling(before) || isTelling(word) ? [`${before} ${word}`] : [];
  });
  const about = [
    `links:${Math.min(links.length, 3)}`,
    ...links.map((link) => `link:${link.split('/', 1)[0]}`),
    ...emails.map((email) => `from:${domainOf(email)}`),
  ];
  return [...new Set([...telling, ...pairs, ...about].map(hashOf))];
}

/**
 * Computes the odds that a message is spam, as a natural logarithm, by naive Bayes over the features that tell most.
 * Both kinds count as equally frequent, whatever the staff have marked more of.
 *
 * @returns null before there are enough samples of each kind.
 */
export function logOddsOf(counts: readonly FeatureCount[], samples: SampleCounts): number | null {
  if (samples.spam < MIN_SAMPLES || samples.leads < MIN_SAMPLES) return null;
  const shares = counts
    .filter(({ feature, spam, leads }) => feature !== SAMPLES && spam + leads > 1)
    .map(({ spam, leads }) => {
      const ofSpam = (spam + SMOOTHING) / (samples.spam + 2 * SMOOTHING);
      const ofLeads = (leads + SMOOTHING) / (samples.leads + 2 * SMOOTHING);
      return Math.max(-MAX_SHARE, Math.min(MAX_SHARE, Math.log(ofSpam / ofLeads)));
    })
    .sort((a, b) => Math.abs(b) - Math.abs(a));
  return shares.slice(0, DECIDING).reduce((sum, share) => sum + share, 0);
}
