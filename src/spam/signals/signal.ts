import type { Message } from '../message.js';

/** A sentence in each language of the panel, in which `{count}` and `{detail}` stand for what a signal has found. */
export type Sentence = Readonly<{ en: string; fr: string }>;

/** What a test has found in a message; null: nothing. */
export type Finding = Readonly<{
  points: number;
  count?: number;
  /** A word, address or domain that it is about. */
  detail?: string;
}>;

/** How many other websites of the installation have seen, within a day, what a message says. */
export type SeenElsewhere = Readonly<Record<'text' | 'email' | 'phone' | 'link', number>>;

/** What is known about a message beyond its words. */
export type Evidence = Readonly<{
  seenElsewhere: SeenElsewhere;
  /** The team's blocked addresses, domains and words that the message meets. */
  blocked: Readonly<Record<'sender' | 'domain' | 'word', string | null>>;
  /** The classifier's odds that it is spam, as a natural logarithm; null: it has no say. */
  logOdds: number | null;
}>;

/** Something that speaks for spam, or with negative points against it. */
export type Signal = Readonly<{
  sentence: Sentence;
  test: (message: Message, evidence: Evidence) => Finding | null;
}>;
