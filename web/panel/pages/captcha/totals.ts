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

type DayRow = Figures['perDay'][number];

/** Adds up the verdicts of each day over all providers; a day without any has zeros. */
export function totalsByDay(days: readonly string[], rows: readonly DayRow[]): (Totals & { day: string })[] {
  const found = Map.groupBy(rows, ({ day }) => day);
  return days.map((day) => ({ day, ...sumOf(found.get(day) ?? []) }));
}

/** Adds up the verdicts of each provider over all days, the one with the most first. */
export function totalsByProvider(rows: readonly DayRow[]): (Totals & { type: DayRow['type'] })[] {
  const all = ({ accepted, refused, fallback, passThrough }: Totals) =>
    accepted + refused + fallback + passThrough;
  return [...Map.groupBy(rows, ({ type }) => type)]
    .map(([type, found]) => ({ type, ...sumOf(found) }))
    .toSorted((one, other) => all(other) - all(one));
}
