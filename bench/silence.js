// `node bench/silence.js`: simulates a year of 500 websites that all work, and counts how often the rule of
// src/attention/silence takes one of them for silent; then lets each die at a random moment, and measures the days
// until it is listed. The rule before it stands beside it. The figures of docs/silence.md come from here; a number as
// argument draws another fleet, `growing` one of which three in five websites go live in the middle of the year, and
// `abroad` one of which one in five websites keeps the hours of Nouméa or Montréal, and one in 25 has 200 to 2,000
// leads a day.
import { createCalendar, dayOf } from '../dist/modules/attention/silence/calendar.js';
import { isSilent } from '../dist/modules/attention/silence/silence.js';
import { HOURS_IN_WEEK } from '../dist/modules/lib/durations.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

const WEBSITES = 500;
/** A year, after half a year in which habits are formed. */
const BEGIN = Date.UTC(2025, 0, 6);
const WARM = BEGIN + 26 * WEEK_MS;
const END = WARM + 52 * WEEK_MS;
/** A website that dies on the last day has half a year to be found. */
const LAST = END + 26 * WEEK_MS;

/** When the websites of a growing fleet go live that are not there from the beginning, and how many those are. */
const GROWTH = WARM + 26 * WEEK_MS;
const GROWTH_SHARE = process.argv.includes('growing') ? 0.6 : 0;

const IS_ABROAD = process.argv.includes('abroad');

const HABIT_MS = 180 * DAY_MS;
/** Whose leads tell the hours of a website, and of all. */
const HOURS_WEEKS = 8;
const HOURS_MS = HOURS_WEEKS * WEEK_MS;
/** How often the worker looks, coarser than in truth, which changes no figure by more than that. */
const STEP_MS = HOUR_MS;

/** A generator of equally distributed numbers (mulberry32), so that each run prints the same. */
function createChance(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + (high - low) * next(),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}

/** Share of a day's leads in each hour: an office, and people at home. */
const HOURS = {
  office: [0, 0, 0, 0, 0, 0, 1, 3, 7, 10, 11, 10, 6, 7, 10, 10, 9, 7, 4, 2, 1, 1, 1, 0],
  home: [1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 5, 5, 5, 6, 7, 8, 9, 8, 5, 2],
};
const DAYS = { office: [1, 1.05, 1.05, 1, 0.9, 0.12, 0.06], home: [1, 0.95, 0.95, 0.95, 0.9, 1, 1.1] };
const BANK_HOLIDAYS = [
  '01-01',
  '04-21',
  '05-01',
  '05-08',
  '05-29',
  '06-09',
  '07-14',
  '08-15',
  '11-01',
  '11-11',
  '12-25',
];

const offsets = new Map();

/** Returns the local time of a website as if it were UTC, by the offset at noon of the day. */
function localOf(zone, at) {
  if (zone === 'UTC') return at;
  const day = Math.floor(at / DAY_MS);
  const key = `${zone} ${day}`;
  if (!offsets.has(key)) {
    const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
    const { value } = format.formatToParts((day + 0.5) * DAY_MS).find(({ type }) => type === 'timeZoneName');
    offsets.set(key, Number(value.slice(3, 6)) * HOUR_MS);
  }
  return at + offsets.get(key);
}

/** How busy a day of the year is against others. */
function seasonOf(kind, at) {
  const day = new Date(at).toISOString().slice(5, 10);
  const isOffice = kind === 'office';
  if (BANK_HOLIDAYS.includes(day)) return isOffice ? 0.1 : 0.7;
  if (day >= '12-22' || day <= '01-02') return isOffice ? 0.2 : 0.6;
  if (day >= '08-04' && day <= '08-24') return isOffice ? 0.45 : 0.8;
  return 1;
}

/** Draws where a website is, and how many leads a week it has if it is a busy one. */
function drawAbroad(chance) {
  if (!IS_ABROAD) return { zone: 'UTC' };
  const place = chance.next();
  const zone = place < 0.1 ? 'Pacific/Noumea' : place < 0.2 ? 'America/Montreal' : 'Europe/Paris';
  return chance.next() < 0.04
    ? { zone, busy: 7 * Math.exp(chance.between(Math.log(200), Math.log(2_000))) }
    : { zone };
}

/**
 * Draws a website: how many leads a week it has, whose hours it keeps, its campaigns, its closed weeks in August, its
 * beginning.
 */
function drawWebsite(chance) {
  const { zone, busy } = drawAbroad(chance);
  const kind = chance.next() < 0.6 ? 'office' : 'home';
  const usual = Math.min(150, Math.max(0.3, Math.exp(Math.log(4) + 1.2 * chance.normal())));
  const campaigns = Array.from({ length: chance.next() < 0.3 ? 2 : 0 }, () => {
    const from = chance.between(BEGIN, LAST);
    return { from, to: from + chance.between(3, 14) * DAY_MS, times: chance.between(4, 12) };
  });
  const closes = chance.next() < 0.1;
  const begins = GROWTH_SHARE > 0 && chance.next() < GROWTH_SHARE ? GROWTH : BEGIN;
  return { kind, zone, perWeek: busy ?? usual, campaigns, closes, begins };
}

const ascending = (one, other) => one - other;
const totalOf = (values) => values.reduce((sum, value) => sum + value, 0);

/** Draws the leads of a website: independent visitors, whose number an hour varies with all that. */
function drawLeads(chance, { kind, zone, perWeek, campaigns, closes, begins }) {
  const [hours, days] = [HOURS[kind], DAYS[kind]];
  const [hourTotal, dayTotal] = [totalOf(hours), totalOf(days)];
  const leads = [];
  for (let at = begins; at < LAST; at += HOUR_MS) {
    const date = new Date(localOf(zone, at));
    const day = date.toISOString().slice(5, 10);
    if (closes && day >= '08-04' && day <= '08-17') continue;
    const weekday = (date.getUTCDay() + 6) % 7;
    const campaign = campaigns.find(({ from, to }) => at >= from && at < to);
    const rate =
      ((perWeek * days[weekday]) / dayTotal) *
      (hours[date.getUTCHours()] / hourTotal) *
      seasonOf(kind, date.getTime()) *
      (campaign?.times ?? 1);
    // A share at a time, since the limit of a large number is too small for a number.
    const shares = Math.ceil(rate / 500);
    const left = Math.exp(-rate / shares);
    for (let share = 0; share < shares; share += 1)
      for (let drawn = chance.next(); drawn > left; drawn *= chance.next())
        leads.push(at + chance.next() * HOUR_MS);
  }
  return leads.sort(ascending);
}

/**
 * What the worker knows at each hour: the leads in the hours of the week, of the last eight weeks, those of each day so
 * far, and the leads a week of the last four.
 */
function createPace(fleet) {
  const hourOf = (at) => Math.floor((at - BEGIN) / HOUR_MS);
  const perHour = new Float64Array(hourOf(LAST) + 1);
  for (const leads of fleet) for (const at of leads) perHour[hourOf(at)] += 1;
  const between = (from, to) =>
    perHour.subarray(Math.max(0, hourOf(from)), Math.max(0, hourOf(to))).reduce((sum, n) => sum + n, 0);
  const days = new Map();
  let [counted, hours, leadsPerWeek] = [BEGIN, [], 0];
  return (now) => {
    for (; counted < now; counted += HOUR_MS) {
      const day = dayOf(new Date(counted));
      days.set(day, (days.get(day) ?? 0) + perHour[hourOf(counted)]);
    }
    if (now % DAY_MS === 0) {
      hours = Array.from({ length: HOURS_IN_WEEK }, (_, hour) => {
        let sum = 0;
        for (let at = now - HOURS_MS; at < now; at += HOUR_MS)
          if (hourOf(at) % HOURS_IN_WEEK === hour) sum += perHour[hourOf(at)];
        return sum;
      });
      leadsPerWeek = between(now - 4 * WEEK_MS, now) / 4;
    }
    return { calendar: createCalendar({ hours, days }, new Date(now)), leadsPerWeek };
  };
}

/** The rule before: five usual pauses of the newest hundred leads of sixty days, and three days. */
function isSilentByFormerRule(leads, last, now) {
  let first = Math.max(0, last - 99);
  while (leads[first] < now - 60 * DAY_MS) first += 1;
  const count = last - first + 1;
  if (count < 5) return false;
  return now - leads[last] > Math.max((5 * (leads[last] - leads[first])) / (count - 1), 3 * DAY_MS);
}

/** Follows the leads of a website, and the habit that they make. */
function createFollower(leads, zone) {
  let [first, last] = [0, -1];
  const weekdays = new Array(7).fill(0);
  /** Leads in each hour of each of the last weeks. */
  const hoursOfWeeks = new Map();
  const days = new Map();
  const weekdayOf = (at) => (new Date(localOf(zone, at)).getUTCDay() + 6) % 7;
  const weekOf = (at) => Math.floor((at - BEGIN) / WEEK_MS);
  const countHour = (at) => {
    const hours = hoursOfWeeks.get(weekOf(at)) ?? new Array(HOURS_IN_WEEK).fill(0);
    hours[Math.floor((at - BEGIN) / HOUR_MS) % HOURS_IN_WEEK] += 1;
    hoursOfWeeks.set(weekOf(at), hours);
  };
  /** The leads of each hour of the week, of one week at most one and a half times those of the median week. */
  const hours = () =>
    Array.from({ length: HOURS_IN_WEEK }, (_, hour) => {
      const counts = [...hoursOfWeeks.values()].map((each) => each[hour]).filter((leads) => leads > 0);
      const median = counts.sort((one, other) => one - other)[counts.length - HOURS_WEEKS / 2] ?? 1;
      return Math.ceil(totalOf(counts.map((leads) => Math.min(leads, 1.5 * median))));
    });
  const count = (at, by) => {
    const day = dayOf(new Date(at));
    weekdays[weekdayOf(at)] += by;
    days.set(day, (days.get(day) ?? 0) + by);
    if (days.get(day) === 0) days.delete(day);
  };
  /** The leads of each week before the last lead, the latest first. */
  const weeks = () => {
    const counts = new Array(26).fill(0);
    const lastDay = dayOf(new Date(leads[last]));
    for (const [day, leadsOfDay] of days) counts[Math.min(25, Math.floor((lastDay - day) / 7))] += leadsOfDay;
    return counts;
  };
  let known = null;
  return {
    /** Goes on to a moment; returns whether a lead has come. */
    advance(now) {
      const before = last;
      for (; leads[last + 1] < now; last += 1) {
        count(leads[last + 1], 1);
        countHour(leads[last + 1]);
      }
      const outdated = [...hoursOfWeeks.keys()].filter((week) => week <= weekOf(now) - HOURS_WEEKS);
      for (const week of outdated) hoursOfWeeks.delete(week);
      for (; first < last && leads[first] < leads[last] - HABIT_MS; first += 1) count(leads[first], -1);
      if (last !== before || outdated.length > 0) known = null;
      return last !== before;
    },
    last: () => last,
    habit() {
      known ??= {
        leads: last - first + 1,
        weekdays,
        hours: hours(),
        weeks: weeks(),
        firstAt: new Date(leads[first]),
        lastAt: new Date(leads[last]),
      };
      return known;
    },
  };
}

const RULES = {
  'The rule': (follower, _leads, now, installation) =>
    isSilent(follower.habit(), new Date(now), installation),
  'The rule before': (follower, leads, now) => isSilentByFormerRule(leads, follower.last(), now),
};

/** Follows websites until each is found; `onFound` is told which, when, and by which rule. */
function createWatch(fleet, onFound) {
  const watched = fleet.map((leads, n) => ({
    leads,
    follower: createFollower(leads, websites[n].zone),
    found: new Set(),
  }));
  return (now, installation) => {
    for (const [n, { leads, follower, found }] of watched.entries()) {
      if (follower.advance(now)) found.clear();
      // No rule finds anything sooner.
      if (follower.last() < 0 || now - leads[follower.last()] < HOUR_MS || now < WARM) continue;
      for (const [name, isFound] of Object.entries(RULES)) {
        if (found.has(name) || !isFound(follower, leads, now, installation)) continue;
        found.add(name);
        onFound(n, now, name);
      }
    }
  };
}

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

const GROUPS = [
  ['fewer than 1', 0, 1],
  ['1 to 5', 1, 5],
  ['5 to 20', 5, 20],
  ['20 to 150', 20, 1_000],
  ['1,400 and more', 1_000, Number.POSITIVE_INFINITY],
];

const seed = process.argv.slice(2).find((argument) => Number(argument) > 0);
const chance = createChance(Number(seed ?? 2_026));
const websites = Array.from({ length: WEBSITES }, () => drawWebsite(chance));
const fleet = websites.map((website) => drawLeads(chance, website));
const deaths = websites.map(({ begins }) => chance.between(Math.max(WARM, begins), END));
const perWeek = totalOf(fleet.map((leads) => leads.filter((at) => at >= WARM && at < END).length)) / 52;

const mistakes = [];
const watch = createWatch(fleet, (n, at, name) => at < END && mistakes.push({ n, at, name }));
const delays = new Map(Object.keys(RULES).map((name) => [name, new Map()]));
const watchDead = createWatch(
  fleet.map((leads, n) => leads.filter((at) => at < deaths[n])),
  (n, at, name) => {
    const known = delays.get(name);
    if (at >= deaths[n] && !known.has(n)) known.set(n, (at - deaths[n]) / DAY_MS);
  },
);
const paceAt = createPace(fleet);
for (let now = WARM; now < LAST; now += STEP_MS) {
  const installation = paceAt(now);
  watch(now, installation);
  watchDead(now, installation);
}

console.log(`${WEBSITES} websites that work, 52 weeks, ${Math.round(perWeek)} leads a week`);
for (const name of Object.keys(RULES)) {
  const found = mistakes.filter((mistake) => mistake.name === name);
  const weeks = new Array(52).fill(0);
  for (const { at } of found) weeks[Math.floor((at - WARM) / WEEK_MS)] += 1;
  weeks.sort(ascending);
  console.log(
    `\n${name}: ${(found.length / 52).toFixed(1)} false items a week; half of the weeks have ${quantile(weeks, 0.5)} ` +
      `at most, the worst ${weeks.at(-1)}`,
  );
  for (const zone of new Set(websites.map((website) => website.zone)))
    console.log(`${zone}: ${found.filter(({ n }) => websites[n].zone === zone).length} in the year`);
  console.log(
    '\n| leads a week | websites | false items in the year | days until listed: half | nine in ten | not in 26 weeks |',
  );
  console.log('|---|---|---|---|---|---|');
  for (const [label, low, high] of GROUPS) {
    const members = websites.flatMap(({ perWeek: rate }, n) => (rate >= low && rate < high ? [n] : []));
    if (members.length === 0) continue;
    const known = members
      .map((n) => delays.get(name).get(n) ?? Number.POSITIVE_INFINITY)
      .map((delay) => (delay > 182 ? Number.POSITIVE_INFINITY : delay))
      .sort(ascending);
    const shown = (delay) => (Number.isFinite(delay) ? delay.toFixed(1) : 'more than 182');
    console.log(
      `| ${label} | ${members.length} | ${found.filter(({ n }) => members.includes(n)).length} | ` +
        `${shown(quantile(known, 0.5))} | ${shown(quantile(known, 0.9))} | ` +
        `${known.filter((delay) => !Number.isFinite(delay)).length} |`,
    );
  }
}
