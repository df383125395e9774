import type { Response } from 'express';
import type { Redis } from 'ioredis';
import { tooManyRequests } from '../errors.js';
import type { Logger } from '../lib/logger.js';
import { limiterFallbacks } from '../lib/metrics.js';
import {
  type Count,
  type Counter,
  counting,
  createLocalCounter,
  createSharedCounter,
  lookingAt,
  type Step,
} from './counters.js';
import { type Hit, LIMITS, quotaOf } from './limits.js';

/** What a hit found: whether it passes, and how much its window still holds. */
export type Standing = Readonly<{
  hit: Hit;
  passes: boolean;
  remaining: number;
  /** Until the window ends and the quota is whole again, in seconds, rounded up. */
  resetS: number;
}>;

/** A Redis that failed to answer is left alone for this long, so that a hanging one delays few requests. */
const RETRY_REDIS_MS = 5_000;

const WARN_EVERY_MS = 60_000;

export type Limiter = ReturnType<typeof createLimiter>;

/** A unit of a budget, taken or refused. */
export type Taken = Readonly<{
  standing: Standing;
  /** Gives the unit back to the window it was taken from, if that still lasts. Never fails. */
  giveBack: () => Promise<void>;
}>;

/**
 * Counts hits in fixed windows that begin with the first hit of their key: in Redis, for all processes
 * together, or in this process when there is none. A Redis that is away is stood in for by this process,
 * so that its loss neither refuses everybody nor lets everybody in. A hit that does not pass is not counted.
 */
export function createLimiter({ redis, log }: { redis: Redis | null; log: Logger }) {
  const shared = redis && createSharedCounter(redis);
  const local = createLocalCounter();
  let askAgainAt = 0;
  let warnAgainAt = 0;

  function warn(reason: string): void {
    if (Date.now() < warnAgainAt) return;
    warnAgainAt = Date.now() + WARN_EVERY_MS;
    log.warn({ reason }, 'Redis is away: each process counts its limits alone');
  }

  async function alone(steps: readonly Step[]): Promise<Answer> {
    limiterFallbacks.inc();
    return { counts: await local(steps), counter: local };
  }

  /** What Redis answers, else what this process answers. */
  async function ask(steps: readonly Step[]): Promise<Answer> {
    if (!shared) return { counts: await local(steps), counter: local };
    if (Date.now() < askAgainAt) return alone(steps);
    if (redis.status !== 'ready') {
      warn('not connected');
      return alone(steps);
    }
    // While it is in doubt, one request at a time finds out.
    if (askAgainAt > 0) askAgainAt = Date.now() + RETRY_REDIS_MS;
    try {
      const counts = await shared(steps);
      askAgainAt = 0;
      return { counts, counter: shared };
    } catch (error) {
      askAgainAt = Date.now() + RETRY_REDIS_MS;
      warn((error as Error).message);
      return alone(steps);
    }
  }

  return {
    /**
     * Counts hits in their order. The first that does not pass ends it: those after it are not counted,
     * so that whoever is refused by the first limit uses up nothing of the next.
     *
     * @returns the standing of every hit that was counted; all pass, or all but the last.
     */
    async consume(...hits: readonly Hit[]): Promise<Standing[]> {
      const { counts } = await ask(hits.map(counting));
      return counts.map((count, index) => standingOf(hits[index]!, count));
    },

    /** Where a hit would stand, without counting it. */
    async peek(hit: Hit): Promise<Standing> {
      const { counts } = await ask([lookingAt(hit)]);
      const { count, msBeforeReset } = counts[0]!;
      return standingOf(hit, { count: count + 1, msBeforeReset });
    },

    /**
     * Counts a hit, and if it passes looks whether a budget has a unit left, which is taken later, if ever.
     *
     * @returns as `consume`; what remains of the budget includes that unit.
     */
    async admit(hit: Hit, budget: Hit): Promise<Standing[]> {
      const { counts } = await ask([counting(hit), lookingAt(budget)]);
      const [counted, seen] = counts;
      const standings = [standingOf(hit, counted!)];
      if (seen) standings.push({ ...standingOf(budget, seen), passes: seen.count < quotaOf(budget) });
      return standings;
    },

    /** Takes a unit of a budget: of any number at the same time, exactly as many pass as there are. */
    async take(budget: Hit): Promise<Taken> {
      const { counts, counter } = await ask([counting(budget)]);
      const { msBeforeReset } = counts[0]!;
      const unit: Step = { hit: budget, change: -1, span: msBeforeReset };
      return {
        standing: standingOf(budget, counts[0]!),
        // With the counter that is away the unit is lost, and the window is smaller by one.
        giveBack: () => counter([unit]).then(ignore, ignore),
      };
    },
  };
}

/** What a counter found, and which one it was. */
type Answer = Readonly<{ counts: Count[]; counter: Counter }>;

const ignore = () => undefined;

function standingOf(hit: Hit, { count, msBeforeReset }: Count): Standing {
  const quota = quotaOf(hit);
  return {
    hit,
    passes: count <= quota,
    remaining: Math.max(0, quota - count),
    resetS: msBeforeReset < 0 ? LIMITS[hit.limit].windowS : Math.max(1, Math.ceil(msBeforeReset / 1000)),
  };
}

/** The `RateLimit` and `RateLimit-Policy` fields of draft-ietf-httpapi-ratelimit-headers-11. */
function rateLimitHeaders(standings: readonly Standing[]): Record<string, string> {
  const policies = standings.map(
    ({ hit }) => `"${hit.limit}";q=${quotaOf(hit)};w=${LIMITS[hit.limit].windowS}`,
  );
  const limits = standings.map(({ hit, remaining, resetS }) => `"${hit.limit}";r=${remaining};t=${resetS}`);
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: limits.join(', ') };
}

/**
 * Ends a request that one of its limits refuses.
 *
 * @throws 429 with `Retry-After` and the rate limit fields.
 */
export function requirePassing(standings: readonly Standing[]): void {
  const refused = standings.find(({ passes }) => !passes);
  if (refused) throw tooManyRequests(refused.resetS, rateLimitHeaders(standings));
}

/**
 * Tells the client where it stands: the answer carries the rate limit fields whatever it becomes.
 *
 * @throws 429 when a limit is used up (interface, section 8).
 */
export function tellStandings(response: Response, standings: readonly Standing[]): void {
  requirePassing(standings);
  for (const [name, value] of Object.entries(rateLimitHeaders(standings))) response.setHeader(name, value);
}

/**
 * Counts a request against limits, in their order, and tells the client where it stands.
 *
 * @throws 429 when one is used up.
 */
export async function limitRequest(
  response: Response,
  limiter: Pick<Limiter, 'consume'>,
  ...hits: readonly Hit[]
): Promise<void> {
  tellStandings(response, await limiter.consume(...hits));
}
