/** When the digest goes out: a time of day, in a time zone. */
export type DigestTime = Readonly<{ at: string; timeZone: string }>;

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const WEEKEND = new Set([0, 6]);

/** Returns how far the clocks of a time zone are ahead of UTC at a moment, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  const [year, month, day] = [parts.get('year')!, parts.get('month')!, parts.get('day')!];
  const [hour, minute, second] = [parts.get('hour')!, parts.get('minute')!, parts.get('second')!];
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000;
}

/** Finds the moment at which the clocks of a time zone show a time, given as if it were UTC. */
function momentOf(shown: number, timeZone: string): number {
  const guess = shown - offsetAt(shown, timeZone);
  // The offset may differ between the guess and the time itself, on a day when the clocks change.
  return shown - offsetAt(guess, timeZone);
}

/** Finds the first digest after a moment: at its time of the next day from Monday to Friday. */
export function nextDigest(now: Date, { at, timeZone }: DigestTime): Date {
  const [hours, minutes] = at.split(':').map(Number) as [number, number];
  const shown = now.getTime() + offsetAt(now.getTime(), timeZone);
  const midnight = Math.floor(shown / DAY_MS) * DAY_MS;
  for (let day = 0; ; day++) {
    const candidate = midnight + day * DAY_MS + (hours * 60 + minutes) * MINUTE_MS;
    if (WEEKEND.has(new Date(candidate).getUTCDay())) continue;
    const moment = momentOf(candidate, timeZone);
    if (moment > now.getTime()) return new Date(moment);
  }
}
