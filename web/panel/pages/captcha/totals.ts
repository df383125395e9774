import type { Figures } from './queries.js';

/** What is told of a step. That its provider failed is told by what came of it, the last two. */
export const VERDICTS = ['accepted', 'refused', 'fallback', 'passThrough'] as const;
export type Verdict = (typeof VERDICTS)[number];

export type Totals = Readonly<Record<Verdict, number>>;

const NONE: Totals = { accepted: 0, refused: 0, fallback: 0, passThrough: 0 };

/** Adds up verdicts. */
export const sumOf = (rows: readonly Totals[]): Totals =>
  rows.reduce(
    (sum, row) => ({
      accepted: sum.accepted + row.accepted,
      refused: sum.refused + row.refused,
      fallback: sum.fallback + row.fallback,
      passThrough: sum.passThrough + row.passThrough,
    }),
    NONE,
  );

/** Adds the days without any verdicts, which have zeros. */
export function totalsByDay(days: readonly string[], rows: Figures['perDay']): (Totals & { day: string })[] {
  const found = new Map(rows.map((row) => [row.day, row]));
  return days.map((day) => ({ ...NONE, ...found.get(day), day }));
}
