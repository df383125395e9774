import { DAY_MS } from '../../lib/durations.js';
import { sum } from '../../lib/sum.js';
import { monthText } from '../../plans/quota.queries.js';
import type { VisitStatistics } from '../../visits/visit-statistics.queries.js';
import type { Breakdowns } from '../statistics/breakdown.service.js';
import type { Statistics } from '../statistics/statistics.service.js';

/** Entries of a list in a report; the page has more. */
const LISTED = 5;

/** From the beginning of any month, this leads into the next one. */
const LONGER_THAN_A_MONTH_MS = 32 * DAY_MS;

/** The sums of a month. */
export type MonthTotals = Readonly<{ leads: number; visitors: number; pageViews: number }>;

/** A name with its count. */
export type NamedCount = Readonly<{ name: string; count: number }>;

/** What a month of a team came to. */
export type MonthlyFigures = Readonly<{
  totals: MonthTotals;
  before: MonthTotals;
  languages: readonly NamedCount[];
  pages: readonly NamedCount[];
  campaigns: readonly Readonly<{ name: string; visits: number; leads: number }>[];
}>;

type Services = Readonly<{
  statistics: Pick<Statistics, 'perDay' | 'perLanguage'>;
  visitStatistics: Pick<VisitStatistics, 'perDay' | 'topPages'>;
  breakdowns: Pick<Breakdowns, 'of'>;
}>;

/** Returns the moment at which a month begins in UTC. */
export const monthStart = (name: string): Date => new Date(`${name}-01T00:00:00Z`);

/** Returns the name of the month after. */
export const nextMonth = (name: string): string =>
  monthText(new Date(monthStart(name).getTime() + LONGER_THAN_A_MONTH_MS));

/** Returns the last day of a month, as in `2026-11-30`. */
export const lastDayOf = (name: string): string =>
  new Date(monthStart(nextMonth(name)).getTime() - 1).toISOString().slice(0, 10);

/** Returns the name of the month before. */
export const monthBefore = (name: string): string => monthText(new Date(monthStart(name).getTime() - 1));

/**
 * Reads what a month of a team came to, and the sums of the month before. Leads are counted by the days of their
 * websites, visits by those of UTC.
 *
 * @param name The month, as in 2026-11.
 */
export async function readMonth(
  { statistics, visitStatistics, breakdowns }: Services,
  teamId: number,
  name: string,
): Promise<MonthlyFigures> {
  const scope = { teamIds: [teamId], websiteIds: null, formIds: null };
  const visitsOf = (month: string) => ({
    teamId,
    websiteId: null,
    from: monthStart(month),
    to: monthStart(nextMonth(month)),
  });
  const daysOf = (month: string) => ({ firstDay: `${month}-01`, lastDay: lastDayOf(month) });
  const totalsOf = async (month: string): Promise<MonthTotals> => {
    const [leads, visits] = await Promise.all([
      statistics.perDay(scope, daysOf(month)),
      visitStatistics.perDay(visitsOf(month)),
    ]);
    return {
      leads: sum(leads.map(({ count }) => count)),
      visitors: sum(visits.map(({ visitors }) => visitors)),
      pageViews: sum(visits.map(({ pageViews }) => pageViews)),
    };
  };
  const [totals, earlier, languages, pages, campaigns] = await Promise.all([
    totalsOf(name),
    totalsOf(monthBefore(name)),
    statistics.perLanguage(scope, daysOf(name)),
    visitStatistics.topPages(visitsOf(name), LISTED),
    // One more, since the visits without a campaign are no entry of the list.
    breakdowns.of(visitsOf(name), { by: 'utm_campaign', before: null, limit: LISTED + 1 }),
  ]);
  return {
    totals,
    before: earlier,
    languages: languages.slice(0, LISTED).map(({ locale, count }) => ({ name: locale, count })),
    pages: pages.map(({ pageUrl, pageViews }) => ({ name: pageUrl, count: pageViews })),
    campaigns: campaigns.items
      .flatMap(({ value, pageViews, submissions }) =>
        value === null ? [] : [{ name: value, visits: pageViews ?? 0, leads: submissions ?? 0 }],
      )
      .slice(0, LISTED),
  };
}
