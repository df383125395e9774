import type { Response } from 'express';
import type { Redis } from 'ioredis';
import { tooManyRequests } from '../../errors.js';
import { limitLog } from '../../lib/telemetry/limited-log.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import { limiterFallbacks } from '../../lib/telemetry/metrics.js';
import {
  type Command,
  type Count,
  type Counter,
  createLocalCounter,
  createSharedCounter,
} from './counters.js';
import { type Hit, LIMITS, quotaOf, weightOf } from './limits.js';

/** The result of a hit: whether it passes, and how many more its window lets pass. */
export type LimitResult = Readonly<{
  hit: Hit;
  passes: boolean;
  remaining: number;
  /** Until the window ends and the quota is whole again, in seconds, rounded up. */
  resetS: number;
}>;

/** Back-off after a Redis that failed to answer, so that a hanging one delays few requests. */
const RETRY_REDIS_MS = 5_000;

const AWAY = 'Redis is away: each process counts its limits alone';

export type Limiter = ReturnType<typeof createLimiter>;

/** A unit of a budget, taken or refused. */
export type Taken = Readonly<{
  result: LimitResult;
  /** Gives the unit back to the window that it was taken from, unless that has ended. It never fails. */
  giveBack: () => Promise<void>;
}>;

/**
 * Counts hits in fixed windows that begin with the first hit of their key. Redis counts for all processes together;
 * without one, this process counts alone. It also does while Redis is away, so that the loss of Redis neither refuses
 * every request nor admits every request. A hit that does not pass is not counted.
 */
export function createLimiter({ redis, log }: { redis: Redis | null; log: Logger }) {
  const shared = redis && createSharedCounter(redis);
  const local = createLocalCounter();
  /** In milliseconds of the process, which no correction of the clock moves. */
  let retryRedisAt = 0;
  const warn = limitLog(log);

  async function runLocally(commands: readonly Command[]): Promise<Counted> {
    limiterFallbacks.inc();
    return { counts: await local(commands), counter: local };
  }

  /** Runs commands in Redis, or in this process when there is no Redis or it is away. */
  async function run(commands: readonly Command[]): Promise<Counted> {
    if (!shared) return { counts: await local(commands), counter: local };
    if (performance.now() < retryRedisAt) return runLocally(commands);
    if (redis.status !== 'ready') {
      warn(new Error('not connected'), AWAY);
      return runLocally(commands);
    }
    // After a failure one request per interval probes Redis.
    if (retryRedisAt > 0) retryRedisAt = performance.now() + RETRY_REDIS_MS;
    try {
      const counts = await shared(commands);
      retryRedisAt = 0;
      return { counts, counter: shared };
    } catch (error) {
      retryRedisAt = performance.now() + RETRY_REDIS_MS;
      warn(error, AWAY);
      return runLocally(commands);
    }
  }

  return {
    /**
     * Counts hits in their order, up to the first that does not pass. The hits after it are not counted, so that a
     * request refused by the first limit consumes nothing of the next.
     *
     * @returns the result of every hit that was counted; all pass, or all but the last.
     */
    async consume(...hits: readonly Hit[]): Promise<LimitResult[]> {
      const { counts } = await run(hits.map((hit) => ({ op: 'add', hit })));
      return counts.map((count, index) => resultOf(hits[index]!, count));
    },

    /** Returns the result that a hit would have, without counting it. */
    async peek(hit: Hit): Promise<LimitResult> {
      const { counts } = await run([{ op: 'read', hit }]);
      return resultOf(hit, counts[0]!);
    },

    /**
     * Counts a hit, and if it passes reads whether a budget has a unit left, which is taken later, if ever.
     *
     * @returns results as `consume` does; what remains of the budget includes that unit.
     */
    async admit(hit: Hit, budget: Hit): Promise<LimitResult[]> {
      const { counts } = await run([
        { op: 'add', hit },
        { op: 'read', hit: budget },
      ]);
      const [counted, seen] = counts;
      const results = [resultOf(hit, counted!)];
      if (seen) results.push({ ...resultOf(budget, seen), remaining: room(budget, seen) });
      return results;
    },

    /** Takes a unit of a budget. Of any number of concurrent calls exactly as many pass as there are units. */
    async take(budget: Hit): Promise<Taken> {
      const { counts, counter } = await run([{ op: 'add', hit: budget }]);
      const { msBeforeReset } = counts[0]!;
      const undo: Command = { op: 'undo', hit: budget, windowLeftMs: msBeforeReset };
      return {
        result: resultOf(budget, counts[0]!),
        // When the counter is away the unit is lost, and the window is smaller by it.
        giveBack: () => counter([undo]).then(ignore, ignore),
      };
    },
  };
}

/** The counts that a counter found, and which counter it was. */
type Counted = Readonly<{ counts: Count[]; counter: Counter }>;

const ignore = () => undefined;

/** Returns what a count leaves of the quota. */
const room = (hit: Hit, { count }: Count): number => Math.max(0, quotaOf(hit) - count);

function resultOf(hit: Hit, found: Count): LimitResult {
  const { msBeforeReset } = found;
  const before = room(hit, found);
  const passes = weightOf(hit) <= before;
  return {
    hit,
    passes,
    remaining: passes ? before - weightOf(hit) : before,
    resetS: msBeforeReset < 0 ? LIMITS[hit.limit].windowS : Math.max(1, Math.ceil(msBeforeReset / 1000)),
  };
}

/** Builds the `RateLimit` and `RateLimit-Policy` fields of draft-ietf-httpapi-ratelimit-headers-11. */
function rateLimitHeaders(results: readonly LimitResult[]): Record<string, string> {
  const policies = results.map(
    ({ hit }) => `"${hit.limit}";q=${quotaOf(hit)};w=${LIMITS[hit.limit].windowS}`,
  );
  const limits = results.map(({ hit, remaining, resetS }) => `"${hit.limit}";r=${remaining};t=${resetS}`);
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: limits.join(', ') };
}

/**
 * Refuses a request that one of its limits does not let pass.
 *
 * @throws 429 with `Retry-After` and the rate limit fields.
 */
export function requirePassing(results: readonly LimitResult[]): void {
  const refused = results.find(({ passes }) => !passes);
  if (refused) throw tooManyRequests(refused.resetS, rateLimitHeaders(results));
}

/**
 * Sets the rate limit fields on the response, whatever its status becomes.
 *
 * @throws 429 when a limit is used up (guide: Limits).
 */
export function writeLimitHeaders(response: Response, results: readonly LimitResult[]): void {
  requirePassing(results);
  for (const [name, value] of Object.entries(rateLimitHeaders(results))) response.setHeader(name, value);
}

/**
 * Counts a request against limits, in their order, and sets the rate limit fields on the response.
 *
 * @throws 429 when a limit is used up.
 */
export async function limitRequest(
  response: Response,
  limiter: Pick<Limiter, 'consume'>,
  ...hits: readonly Hit[]
): Promise<void> {
  writeLimitHeaders(response, await limiter.consume(...hits));
}
