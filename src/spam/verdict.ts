import type { Message } from './message.js';
import type { Evidence, Signal } from './signals/signal.js';
import { SIGNALS } from './signals/signals.js';

/** A signal that a message gave, as a verdict keeps it. */
export type Reason = Readonly<{ signal: string; points: number; count?: number; detail?: string }>;

/** The judgement of a message: the sum of its reasons' points, and the reasons, the heaviest first. */
export type Verdict = Readonly<{ score: number; reasons: readonly Reason[] }>;

/** Points of the other signals beside which a weak one counts. */
const SUSPECT = 30;

/** Judges a message by every signal. The function is pure. */
export function judge(message: Message, evidence: Evidence): Verdict {
  const signals: [string, Signal][] = Object.entries(SIGNALS);
  const found = signals.flatMap(([signal, { test, isWeak }]) => {
    const finding = test(message, evidence);
    return finding ? [{ isWeak, reason: { signal, ...finding } }] : [];
  });
  const strong = found.reduce((sum, { isWeak, reason }) => (isWeak ? sum : sum + reason.points), 0);
  const isSuspect = strong >= SUSPECT;
  const reasons = found
    .filter(({ isWeak }) => isSuspect || !isWeak)
    .map(({ reason }): Reason => reason)
    .sort((a, b) => Math.abs(b.points) - Math.abs(a.points));
  return {
    score: Math.max(
      0,
      reasons.reduce((sum, { points }) => sum + points, 0),
    ),
    reasons,
  };
}
