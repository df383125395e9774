import type { Message } from '../message.js';

/** A sentence in each language of the panel, in which `{count}` and `{detail}` stand for what a signal has found. */
export type Sentence = Readonly<{ en: string; fr: string }>;

/** What a test has found in a message; null: nothing. */
export type Finding = Readonly<{
  points: number;
  count?: number;
  /** The words, the address or the domain that it is about. */
  detail?: string;
}>;

/** How many other websites of the installation have seen, within a day, what a message says. */
export type SeenElsewhere = Readonly<Record<'text' | 'email' | 'phone' | 'link', number>>;

/** What is known about a message beyond its words. */
export type Evidence = Readonly<{
  seenElsewhere: SeenElsewhere;
  /** Seconds from the page's signature to the submission; null: not known. */
  signatureAgeS: number | null;
  /** The team's blocked addresses, domains and words that the message meets. */
  blocked: Readonly<Record<'sender' | 'domain' | 'word', string | null>>;
  /** The classifier's odds that it is spam, as a natural logarithm; null: it has no say. */
  logOdds: number | null;
  /** The log-odds by the model that is shipped. */
  modelOdds: number;
}>;

/** Something that speaks for spam, or with negative points against it. */
export type Signal = Readonly<{
  sentence: Sentence;
  /** Whether it says nothing on its own: it counts only beside another that speaks for spam. */
  isWeak?: true;
  test: (message: Message, evidence: Evidence) => Finding | null;
}>;

/** A finding of a number of points, unless there are none. */
export const worth = (points: number, found: Omit<Finding, 'points'> = {}): Finding | null =>
  points === 0 ? null : { points, ...found };

/** Finds the points of a count in steps of `[at least, points]`, the highest first. */
export const stepOf = (count: number, steps: readonly (readonly [number, number])[]): number =>
  steps.find(([least]) => count >= least)?.[1] ?? 0;
