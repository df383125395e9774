import type { Message } from './message.js';
import type { Evidence, Signal } from './signals/signal.js';
import { SIGNALS } from './signals/signals.js';

/** A signal that a message gave, as a verdict keeps it. */
export type Reason = Readonly<{ signal: string; points: number; count?: number; detail?: string }>;

/** The judgement of a message: the sum of its reasons' points, and the reasons, the heaviest first. */
export type Verdict = Readonly<{ score: number; reasons: readonly Reason[] }>;

/** Judges a message by every signal. The function is pure. */
export function judge(message: Message, evidence: Evidence): Verdict {
  const signals: [string, Signal][] = Object.entries(SIGNALS);
  const reasons = signals
    .flatMap(([signal, { test }]): Reason[] => {
      const finding = test(message, evidence);
      return finding ? [{ signal, ...finding }] : [];
    })
    .sort((a, b) => Math.abs(b.points) - Math.abs(a.points));
  return {
    score: Math.max(
      0,
      reasons.reduce((sum, { points }) => sum + points, 0),
    ),
    reasons,
  };
}
