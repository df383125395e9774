import { DAY_MS, DAYS_IN_WEEK, HOUR_MS, HOURS_IN_DAY, HOURS_IN_WEEK } from '../../lib/durations.js';

/** The first of January 1970 was a Thursday. */
const FIRST_WEEKDAY = 3;

/**
 * Share of the leads that is spread evenly over the week. No hour weighs nothing then, so that time never stands still
 * for a website whose leads come at other hours than most.
 */
const EVEN_SHARE = 0.05;

/** Leads that are added evenly, so that a new installation has even hours at first. */
const EVEN_LEADS = HOURS_IN_WEEK;

/** Weeks before a day whose same weekday tells how many leads were to be expected. */
const EXPECTED_WEEKS = 8;

/** Leads that are added to what came on a day and to what was to be expected: a few more or less say nothing. */
const DAY_LEADS = 10;

/** Leads that are added to those of a website, spread over the week as those of all: a few say little of its days. */
const WEEKDAY_LEADS = 14;

/**
 * Leads that are added to those by its hours, spread as those of all on its weekdays: hours are many, and take more.
 */
const HOUR_LEADS = 84;

/** Days back to which hours are weighed one by one. */
const REACH_DAYS = 600;

/** Counts the days since 1970 (UTC). */
export const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS);

const weekdayOf = (day: number): number => (day + FIRST_WEEKDAY) % DAYS_IN_WEEK;

/**
 * What the whole installation has had: the leads of each hour of the week, and of each day since 1970, as far back as
 * known.
 */
type Leads = Readonly<{ hours: readonly number[]; days: ReadonlyMap<number, number> }>;

/**
 * When the leads of a website come: how many on each of its weekdays, Monday first, and how many in each hour of the
 * week (UTC), which is empty where that is not known.
 */
export type OwnTime = Readonly<{ weekdays: readonly number[]; hours: readonly number[] }>;

type Pace = Readonly<{ lastAt: Date; weeks: number }>;

export type Calendar = ReturnType<typeof createCalendar>;

const totalOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Computes the weight of each hour of the week, whose average is 1. */
function weigh(leads: readonly number[]): number[] {
  const total = totalOf(leads);
  const even = (EVEN_LEADS + total * EVEN_SHARE) / HOURS_IN_WEEK;
  return Array.from(
    { length: HOURS_IN_WEEK },
    (_, hour) => (((leads[hour] ?? 0) + even) * HOURS_IN_WEEK) / (total + even * HOURS_IN_WEEK),
  );
}

/** Sums up the weights of a weekday until an hour of it. */
function hoursUntil(weights: readonly number[], weekday: number, hour: number): number {
  const [start, whole] = [weekday * HOURS_IN_DAY, Math.floor(hour)];
  let sum = 0;
  for (let each = 0; each < whole; each += 1) sum += weights[start + each]!;
  return whole < HOURS_IN_DAY ? sum + (hour - whole) * weights[start + whole]! : sum;
}

/** Sums up the weights of each weekday. */
const lengthsOf = (weights: readonly number[]): number[] =>
  Array.from({ length: DAYS_IN_WEEK }, (_, weekday) => hoursUntil(weights, weekday, HOURS_IN_DAY));

/**
 * Creates the time by which silence is measured: it runs as leads come to the whole installation.
 *
 * Each hour of the week weighs what comes in it. A day on which fewer leads come than on the same weekday before, such
 * as a holiday, weighs less, also while it lasts. One with more leads, as when many websites go live, weighs no more. A
 * website that keeps other weekdays and hours than most has its own weights.
 */
export function createCalendar({ hours, days }: Leads, now: Date) {
  const weights = weigh(hours);
  const today = dayOf(now);
  const knownFrom = Math.min(today, ...days.keys());
  const first = Math.min(today - REACH_DAYS, knownFrom);

  const lengths = lengthsOf(weights);
  const hourOf = (at: Date) => (at.getTime() % DAY_MS) / HOUR_MS;

  /** The known days before a day that are the same weekday. */
  function sameBefore(day: number): number[] {
    if (day > today || day < knownFrom) return [];
    const before = Array.from({ length: EXPECTED_WEEKS }, (_, week) => day - (week + 1) * DAYS_IN_WEEK);
    return before.filter((other) => other >= knownFrom);
  }

  /** Computes the leads of a day, going by those before that are the same weekday; null when none is known. */
  function computeUsual(day: number): number | null {
    const known = sameBefore(day);
    if (known.length === 0) return null;
    return known.reduce((sum, other) => sum + (days.get(other) ?? 0), 0) / known.length;
  }

  const usuals = new Map<number, number | null>();
  const usualOf = (day: number): number | null => {
    const known = usuals.get(day);
    const usual = known === undefined ? computeUsual(day) : known;
    usuals.set(day, usual);
    return usual;
  };

  /**
   * Computes how much a day weighs against others of its weekday: at most as much, since leads of other websites end no
   * pause.
   *
   * @param missing Usual leads of a silent website, whose absence makes no day weigh less for itself.
   * @param lastDay The day of its last lead, after which it had no part in what is usual.
   */
  function factor(day: number, missing = 0, lastDay = day): number {
    const usual = usualOf(day);
    if (usual === null) return 1;
    const known = sameBefore(day);
    const part = (missing * known.filter((other) => other <= lastDay).length) / known.length;
    const weekday = weekdayOf(day);
    const share = day === today ? hoursUntil(weights, weekday, hourOf(now)) / lengths[weekday]! : 1;
    const expected = Math.max(0, usual - part) * share;
    return Math.min(1, ((days.get(day) ?? 0) + DAY_LEADS) / (expected + DAY_LEADS));
  }

  /** How many of each weekday there are from the first day to the beginning of each day, as much as they weigh. */
  const sums: number[][] = [new Array(DAYS_IN_WEEK).fill(0)];
  for (let day = first; day <= today; day += 1) {
    const sum = [...sums.at(-1)!];
    sum[weekdayOf(day)]! += factor(day);
    sums.push(sum);
  }

  /** Computes the weighted hours from the first day until an instant. */
  function until(at: Date, own: readonly number[], ownLengths: readonly number[]): number {
    const day = dayOf(at);
    // So long ago the hour makes no difference.
    if (day < first) return (day - first + hourOf(at) / HOURS_IN_DAY) * HOURS_IN_DAY;
    const whole = sums[Math.min(day, today + 1) - first]!;
    const begun = hoursUntil(own, weekdayOf(day), hourOf(at)) * factor(day);
    return ownLengths.reduce((sum, length, weekday) => sum + length * whole[weekday]!, begun);
  }

  /**
   * Computes the weight of each hour of the week for a website: as its leads come by the hour, and as far as these are
   * few, as those of all come by the hour on its weekdays.
   */
  function ownWeights(own: OwnTime): number[] {
    const [onWeekdays, inHours] = [totalOf(own.weekdays), totalOf(own.hours)];
    const usual = lengths.map((length, weekday) => {
      const share = length / HOURS_IN_WEEK;
      return ((own.weekdays[weekday] ?? 0) + WEEKDAY_LEADS * share) / (onWeekdays + WEEKDAY_LEADS) / share;
    });
    return weights.map(
      (weight, hour) =>
        ((own.hours[hour] ?? 0) * HOURS_IN_WEEK +
          HOUR_LEADS * weight * usual[Math.floor(hour / HOURS_IN_DAY)]!) /
        (inHours + HOUR_LEADS),
    );
  }

  return {
    /**
     * Computes the weighted hours between two instants, not after now, for a website whose leads come at such times.
     */
    hoursBetween(from: Date, to: Date, time: OwnTime): number {
      const own = ownWeights(time);
      const ownLengths = lengthsOf(own);
      return until(to, own, ownLengths) - until(from, own, ownLengths);
    },

    /**
     * Computes the weighted hours of a silence. Its own missing leads make no day weigh less, else a website that has
     * most leads of its installation would stop its own time.
     *
     * @param pace The last lead of the website, and in how many weeks it had all of them.
     */
    silentHours(from: Date, to: Date, time: OwnTime, { lastAt, weeks }: Pace): number {
      const own = ownWeights(time);
      const [begin, end] = [dayOf(from), dayOf(to)];
      let sum = 0;
      for (let day = begin; day <= end; day += 1) {
        const weekday = weekdayOf(day);
        const until = hoursUntil(own, weekday, day === end ? hourOf(to) : HOURS_IN_DAY);
        const since = day === begin ? hoursUntil(own, weekday, hourOf(from)) : 0;
        sum += (until - since) * factor(day, (time.weekdays[weekday] ?? 0) / weeks, dayOf(lastAt));
      }
      return sum;
    },
  };
}
