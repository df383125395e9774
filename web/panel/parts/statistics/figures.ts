/** What happened on a day. */
export type DayFigures = Readonly<{ day: string; leads: number; visitors: number; pageViews: number }>;

/** Joins the counts of leads and of visits by their day; a day that has neither has zeros. */
export function figuresOf(
  days: readonly string[],
  leads: readonly Readonly<{ day: string; count: number }>[],
  visits: readonly Readonly<{ day: string; pageViews: number; visitors: number }>[],
): DayFigures[] {
  const leadsOn = new Map(leads.map(({ day, count }) => [day, count]));
  const visitsOn = new Map(visits.map((one) => [one.day, one]));
  return days.map((day) => ({
    day,
    leads: leadsOn.get(day) ?? 0,
    visitors: visitsOn.get(day)?.visitors ?? 0,
    pageViews: visitsOn.get(day)?.pageViews ?? 0,
  }));
}

/** Adds up the figures of days. */
export const totalOf = (figures: readonly DayFigures[]): Omit<DayFigures, 'day'> =>
  figures.reduce(
    (total, { leads, visitors, pageViews }) => ({
      leads: total.leads + leads,
      visitors: total.visitors + visitors,
      pageViews: total.pageViews + pageViews,
    }),
    { leads: 0, visitors: 0, pageViews: 0 },
  );

/** The share of visitors who have become leads; null where none was counted. */
export const conversionOf = (leads: number, visitors: number): number | null =>
  visitors === 0 ? null : leads / visitors;
