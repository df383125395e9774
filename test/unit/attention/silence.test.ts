import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createCalendar, dayOf } from '../../../src/attention/silence/calendar.js';
import { isSilent, silenceChance, usualLeads } from '../../../src/attention/silence/silence.js';
import { HOURS_IN_WEEK } from '../../../src/lib/durations.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LAST = new Date('2026-06-15T12:00:00Z');

const daysBefore = (days: number) => new Date(LAST.getTime() - days * DAY_MS);
const daysAfter = (days: number) => new Date(LAST.getTime() + days * DAY_MS);

/** After everything that a test looks at. */
const LATER = new Date('2027-06-01T00:00:00Z');

const evenHours = Array.from({ length: HOURS_IN_WEEK }, () => 100);

/** Leads on weekdays from 8 to 18 h UTC alone. */
const officeHours = Array.from({ length: HOURS_IN_WEEK }, (_, hour) =>
  hour < 5 * 24 && hour % 24 >= 8 && hour % 24 < 18 ? 200 : 0,
);

/** A calendar of an installation whose weeks are all alike. */
const calendarOf = (hours: readonly number[], now = LATER) => createCalendar({ hours, days: new Map() }, now);

const even = calendarOf(evenHours);
const office = calendarOf(officeHours);

/** No weekdays and no hours of its own. */
const ANY = { weekdays: [], hours: [] };

const hoursOfWeek = fc.array(fc.nat(10_000), { minLength: HOURS_IN_WEEK, maxLength: HOURS_IN_WEEK });
const ownTime = fc.record({
  weekdays: fc.array(fc.nat(500), { minLength: 7, maxLength: 7 }),
  hours: fc.oneof(fc.constant([]), hoursOfWeek),
});
const instant = fc.date({
  min: new Date('2025-11-01T00:00:00Z'),
  max: new Date('2027-05-01T00:00:00Z'),
  noInvalidDate: true,
});

describe('the weighted time', () => {
  test('is the plain time where leads come evenly', () => {
    expect(even.hoursBetween(daysBefore(3.5), LAST, ANY)).toBeCloseTo(84, 6);
  });

  test('runs fast in office hours, slowly at night and at weekends', () => {
    const monday = new Date('2026-06-15T09:00:00Z');
    expect(office.hoursBetween(monday, new Date('2026-06-15T10:00:00Z'), ANY)).toBeGreaterThan(2.5);
    const friday = new Date('2026-06-19T18:00:00Z');
    expect(office.hoursBetween(friday, new Date('2026-06-22T08:00:00Z'), ANY)).toBeLessThan(10);
  });

  test('has 168 hours a week, whatever its hours weigh and wherever it begins', () => {
    fc.assert(
      fc.property(hoursOfWeek, ownTime, instant, (leads, own, from) => {
        const to = new Date(from.getTime() + 7 * DAY_MS);
        expect(calendarOf(leads).hoursBetween(from, to, own)).toBeCloseTo(HOURS_IN_WEEK, 4);
      }),
    );
  });

  test('adds up, and never runs backwards', () => {
    const daysKnown = fc.array(fc.nat(2_000), { minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(
        ...([hoursOfWeek, daysKnown, ownTime] as const),
        fc.array(fc.integer({ min: 0, max: 500 * 24 }), { minLength: 3, maxLength: 3 }),
        (hours, leads, own, offsets) => {
          const days = new Map(leads.map((count, ago) => [dayOf(LAST) - ago, count]));
          const calendar = createCalendar({ hours, days }, LAST);
          const [a, b, c] = offsets
            .sort((x, y) => y - x)
            .map((ago) => new Date(LAST.getTime() - ago * HOUR_MS));
          const first = calendar.hoursBetween(a!, b!, own);
          const second = calendar.hoursBetween(b!, c!, own);
          expect(Math.min(first, second)).toBeGreaterThanOrEqual(-1e-6);
          expect(first + second).toBeCloseTo(calendar.hoursBetween(a!, c!, own), 4);
        },
      ),
    );
  });

  test('runs slowly on a day with fewer leads than its weekday had, also while that day lasts', () => {
    const days = new Map(Array.from({ length: 100 }, (_, ago) => [dayOf(LAST) - ago, 500]));
    const dayLength = (calendar: ReturnType<typeof createCalendar>, from: string) =>
      calendar.hoursBetween(new Date(from), new Date(new Date(from).getTime() + 12 * HOUR_MS), ANY);
    const usual = createCalendar({ hours: evenHours, days }, LAST);
    expect(dayLength(usual, '2026-06-12T00:00:00Z')).toBeCloseTo(12, 0);
    // By noon half of the day's leads have come; on a holiday hardly any.
    const noon = createCalendar({ hours: evenHours, days: new Map([...days, [dayOf(LAST), 250]]) }, LAST);
    expect(dayLength(noon, '2026-06-15T00:00:00Z')).toBeCloseTo(12, 0);
    const holiday = createCalendar({ hours: evenHours, days: new Map([...days, [dayOf(LAST), 15]]) }, LAST);
    expect(dayLength(holiday, '2026-06-15T00:00:00Z')).toBeLessThan(2);
    const past = createCalendar({ hours: evenHours, days: new Map([...days, [dayOf(LAST) - 1, 20]]) }, LAST);
    expect(dayLength(past, '2026-06-14T00:00:00Z')).toBeLessThan(2);
  });

  test('runs no faster on a day with more leads than its weekday had, as when many websites go live', () => {
    const days = new Map(Array.from({ length: 100 }, (_, ago) => [dayOf(LAST) - ago, ago < 7 ? 1_500 : 500]));
    const calendar = createCalendar({ hours: evenHours, days }, LAST);
    expect(calendar.hoursBetween(daysBefore(5), daysBefore(2), ANY)).toBeCloseTo(72, 0);
    expect(calendar.hoursBetween(daysBefore(35), daysBefore(32), ANY)).toBeCloseTo(72, 0);
  });

  test('runs slowly at the weekend for a website whose leads come on weekdays', () => {
    const [saturday, monday] = [new Date('2026-06-13T00:00:00Z'), new Date('2026-06-15T00:00:00Z')];
    expect(even.hoursBetween(saturday, monday, ANY)).toBeCloseTo(48, 6);
    const weekdays = [100, 100, 100, 100, 100, 0, 0];
    expect(even.hoursBetween(saturday, monday, { weekdays, hours: [] })).toBeLessThan(3);
  });

  test('runs slowly in the night of a website whose leads come at other hours than most, as far as they tell', () => {
    const day = [new Date('2026-06-15T08:00:00Z'), new Date('2026-06-15T18:00:00Z')] as const;
    const dayLength = (leads: number) => {
      const hours = officeHours.map((_, hour) => (officeHours.at(hour - 12)! > 0 ? leads / 50 : 0));
      return office.hoursBetween(...day, { weekdays: [], hours });
    };
    expect(dayLength(0)).toBeGreaterThan(30);
    expect(dayLength(5)).toBeGreaterThan(28);
    expect(dayLength(500)).toBeLessThan(6);
    expect(dayLength(50_000)).toBeLessThan(0.1);
  });
});

test('the weighted hours of a silence leave out what the website had itself, as long as it had it', () => {
  const at = new Date('2026-06-15T23:00:00Z');
  const since = new Date('2026-06-15T11:00:00Z');
  const own = { weekdays: new Array(7).fill(1_000), hours: [] };
  const hours = (usual: number, today: number, lastAt: Date) => {
    const days = new Map(Array.from({ length: 100 }, (_, ago) => [dayOf(at) - 1 - ago, usual]));
    const calendar = createCalendar({ hours: evenHours, days: days.set(dayOf(at), today) }, at);
    return calendar.silentHours(since, at, own, { lastAt, weeks: 1 });
  };
  expect(hours(1_100, 100, since)).toBeCloseTo(12, 0);
  expect(hours(100, 20, new Date('2026-04-01T00:00:00Z'))).toBeLessThan(4);
});

describe('the chance that a silent website works', () => {
  const habit = { leads: 41, firstAt: daysBefore(20), lastAt: LAST, ...ANY, weeks: [] };

  test.each([
    ['40 pauses of 20 days together, silent for half a day', 0.5, (20 / 20.5) ** 40],
    ['40 pauses of 20 days together, silent for 4 days', 4, (20 / 24) ** 40],
    ['silent for no time', 0, 1],
  ])('is (S / (S + t))^n for %s', (_, days, chance) => {
    expect(silenceChance(habit, daysAfter(days), even)).toBeCloseTo(chance, 9);
  });

  test.each([
    ['one lead', { leads: 1, firstAt: LAST, lastAt: LAST, ...ANY, weeks: [] }],
    ['the trials of a first day', { leads: 9, firstAt: daysBefore(1), lastAt: LAST, ...ANY, weeks: [] }],
  ])('is unknown after %s', (_, young) => {
    expect(silenceChance(young, daysAfter(300), even)).toBe(1);
  });

  test('falls as the silence lasts, and lies between 0 and 1', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5_000 }),
        fc.integer({ min: 8, max: 180 }),
        fc.double({ min: 0.01, max: 150, noNaN: true }),
        (leads, days, silent) => {
          const known = { leads, firstAt: daysBefore(days), lastAt: LAST, ...ANY, weeks: [] };
          const [sooner, later] = [
            silenceChance(known, daysAfter(silent), even),
            silenceChance(known, daysAfter(silent * 2), even),
          ];
          expect(sooner).toBeLessThanOrEqual(1);
          expect(later).toBeGreaterThanOrEqual(0);
          expect(later).toBeLessThanOrEqual(sooner);
        },
      ),
    );
  });
});

describe('the usual leads of a habit', () => {
  test.each([
    ['are all of them where the weeks are not known', 80, [], 80],
    ['are all of them where weeks differ a little', 40, [10, 12, 8, 10], 40],
    ['have a week of a campaign as one and a half usual ones', 140, [10, 110, 8, 12], 12 * 1.5 + 10 + 8 + 12],
    ['leave out the weeks before the first lead', 9, [4, 5, 0, 0, 0, 0], 9],
    ['count one and a half leads a week where most weeks have none', 7, [0, 0, 5, 0, 0, 0, 2], 3],
  ])('%s', (_, leads, weeks, usual) => {
    expect(usualLeads({ leads, weeks })).toBe(usual);
  });
});

describe('a website', () => {
  test('is not silent after a campaign at the pace that it had before', () => {
    const weeks = [30, 80, ...Array.from({ length: 24 }, () => 4)];
    const leads = weeks.reduce((sum, count) => sum + count, 0);
    const habit = { leads, firstAt: daysBefore(180), lastAt: LAST, ...ANY, weeks };
    const installation = { calendar: even, leadsPerWeek: 1_000 };
    expect(isSilent({ ...habit, weeks: [] }, daysAfter(9), installation)).toBe(true);
    expect(isSilent(habit, daysAfter(9), installation)).toBe(false);
    expect(isSilent(habit, daysAfter(18), installation)).toBe(true);
  });

  const twiceADay = { leads: 41, firstAt: daysBefore(20), lastAt: LAST, ...ANY, weeks: [] };

  test('is silent when its pause is rarer than one in a week of the whole installation', () => {
    const small = { calendar: even, leadsPerWeek: 100 };
    const large = { calendar: even, leadsPerWeek: 100_000 };
    expect(isSilent(twiceADay, daysAfter(2), small)).toBe(false);
    expect(isSilent(twiceADay, daysAfter(3), small)).toBe(true);
    expect(isSilent(twiceADay, daysAfter(3), large)).toBe(false);
    expect(isSilent(twiceADay, daysAfter(8), large)).toBe(true);
  });

  test('is not silent over a weekend where leads come in office hours', () => {
    const leads = {
      leads: 100,
      firstAt: daysBefore(30),
      lastAt: new Date('2026-06-19T17:00:00Z'),
      ...ANY,
      weeks: [],
    };
    const monday = new Date('2026-06-22T08:00:00Z');
    expect(isSilent(leads, monday, { calendar: even, leadsPerWeek: 500 })).toBe(true);
    expect(isSilent(leads, monday, { calendar: office, leadsPerWeek: 500 })).toBe(false);
  });

  test('is not silent at its usual pace in an installation with hardly any leads', () => {
    const weekly = { leads: 26, firstAt: daysBefore(175), lastAt: LAST, ...ANY, weeks: [] };
    expect(isSilent(weekly, daysAfter(7), { calendar: even, leadsPerWeek: 0.5 })).toBe(false);
  });

  test.each([
    ['alone', 0],
    ['beside others with a twentieth of its leads', 100],
    ['beside others with as many', 2_000],
  ])('with 2,000 leads a day that dies at midnight is silent within hours, %s', (_, others) => {
    const midnight = new Date('2026-06-15T00:00:00Z');
    const days = new Map(
      Array.from({ length: 100 }, (_, ago) => [dayOf(midnight) - 1 - ago, 2_000 + others]),
    );
    const at = new Date('2026-06-15T06:00:00Z');
    const calendar = createCalendar({ hours: evenHours, days: days.set(dayOf(midnight), others / 4) }, at);
    const firstAt = new Date(midnight.getTime() - 180 * DAY_MS);
    const own = { weekdays: new Array(7).fill((2_000 * 180) / 7), hours: evenHours };
    const habit = { leads: 360_000, firstAt, lastAt: midnight, ...own, weeks: [] };
    expect(isSilent(habit, at, { calendar, leadsPerWeek: 7 * (2_000 + others) })).toBe(true);
  });

  const PLACES = { Paris: 2, Nouméa: 11, Montréal: -4 };

  /**
   * The habit of an office with leads from 8 to 18 h local time, and the instant of a local hour after Monday midnight.
   */
  function officeIn(place: keyof typeof PLACES, perDay: number) {
    const offset = PLACES[place];
    const at = (hour: number) => new Date(Date.UTC(2026, 5, 15, hour - offset));
    const isOpen = (hour: number) => {
      const local = (hour + offset + HOURS_IN_WEEK) % HOURS_IN_WEEK;
      return local < 5 * 24 && local % 24 >= 8 && local % 24 < 18;
    };
    const hours = Array.from({ length: HOURS_IN_WEEK }, (_, hour) => (isOpen(hour) ? (perDay / 10) * 8 : 0));
    const [leads, weekdays] = [perDay * 130, [...new Array(5).fill(perDay * 26), 0, 0]];
    const habit = (lastAt: Date) => ({
      ...{ leads, weekdays, hours, lastAt, weeks: [] },
      firstAt: new Date(lastAt.getTime() - 180 * DAY_MS),
    });
    return { at, habit };
  }

  const paris = {
    calendar: calendarOf(officeHours.map((_, hour) => officeHours.at(hour + 2 - HOURS_IN_WEEK)!)),
    leadsPerWeek: 4_000,
  };

  test.each([
    ['Nouméa', 10],
    ['Nouméa', 20],
    ['Nouméa', 200],
    ['Nouméa', 2_000],
    ['Montréal', 20],
    ['Montréal', 200],
    ['Montréal', 2_000],
    ['Paris', 200],
    ['Paris', 2_000],
  ] as const)('in %s with %d leads a day is not silent in its night and at its weekend', (place, perDay) => {
    const { at, habit } = officeIn(place, perDay);
    // As an hour passes that is the first one in summer time and none in winter time.
    for (const [closes, opens] of [
      [18, 33],
      [4 * 24 + 18, 7 * 24 + 9],
    ] as const)
      expect(isSilent(habit(at(closes)), at(opens), paris)).toBe(false);
  });

  test.each([
    ['Nouméa', 10, 2 * 24],
    ['Nouméa', 50, 10],
    ['Nouméa', 500, 2],
    ['Nouméa', 2_000, 2],
    ['Montréal', 10, 2 * 24],
    ['Montréal', 500, 2],
    ['Paris', 10, 2 * 24],
    ['Paris', 50, 10],
    ['Paris', 500, 2],
    ['Paris', 2_000, 2],
  ] as const)(
    'in %s with %d leads a day that dies as it opens is silent %d hours later',
    (place, perDay, after) => {
      const { at, habit } = officeIn(place, perDay);
      expect(isSilent(habit(at(8)), at(8 + after), paris)).toBe(true);
    },
  );
});
