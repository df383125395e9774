import type { Response } from 'express';
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { tooManyRequests } from '../errors.js';
import type { Logger } from '../lib/logger.js';
import { limiterFallbacks } from '../lib/metrics.js';
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

/** The limits have windows of different lengths, so each count brings its own. */
const COUNTER = { keyPrefix: 'limit', points: 0, duration: 60 };

export type Limiter = ReturnType<typeof createLimiter>;

/**
 * Counts hits in fixed windows that begin with the first hit of their key: in Redis, for all processes
 * together, or in this process when there is none. A Redis that is away is stood in for by this process,
 * so that its loss neither refuses everybody nor lets everybody in.
 */
export function createLimiter({ redis, log }: { redis: Redis | null; log: Logger }) {
  const shared =
    redis && new RateLimiterRedis({ ...COUNTER, storeClient: redis, rejectIfRedisNotReady: true });
  const local = new RateLimiterMemory(COUNTER);
  let askAgainAt = 0;
  let warnAgainAt = 0;

  function warn(reason: string): void {
    if (Date.now() < warnAgainAt) return;
    warnAgainAt = Date.now() + WARN_EVERY_MS;
    log.warn({ reason }, 'Redis is away: each process counts its limits alone');
  }

  function alone<T>(question: (counter: RateLimiterMemory) => Promise<T>): Promise<T> {
    limiterFallbacks.inc();
    return question(local);
  }

  /** What Redis answers, else what this process answers. */
  async function ask<T>(question: (counter: RateLimiterRedis | RateLimiterMemory) => Promise<T>): Promise<T> {
    if (!shared) return question(local);
    if (Date.now() < askAgainAt) return alone(question);
    if (redis.status !== 'ready') {
      warn('not connected');
      return alone(question);
    }
    // While it is in doubt, one request at a time finds out.
    if (askAgainAt > 0) askAgainAt = Date.now() + RETRY_REDIS_MS;
    try {
      const answer = await question(shared);
      askAgainAt = 0;
      return answer;
    } catch (error) {
      askAgainAt = Date.now() + RETRY_REDIS_MS;
      warn((error as Error).message);
      return alone(question);
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
      const counts = await ask((counter) =>
        counter === local || !redis ? countHere(local, hits) : countInRedis(redis, hits),
      );
      return counts.map(({ count, msBeforeReset }, index) => standingOf(hits[index]!, count, msBeforeReset));
    },

    /** Where a hit would stand, without counting it. */
    async peek(hit: Hit): Promise<Standing> {
      const count = await ask((counter) => counter.get(keyOf(hit)));
      return standingOf(hit, (count?.consumedPoints ?? 0) + 1, count?.msBeforeNext ?? 0);
    },
  };
}

type Count = Readonly<{ count: number; msBeforeReset: number }>;

async function countHere(counter: RateLimiterMemory, hits: readonly Hit[]): Promise<Count[]> {
  const counts: Count[] = [];
  for (const hit of hits) {
    const options = { customDuration: LIMITS[hit.limit].windowS };
    const { consumedPoints: count, msBeforeNext } = await counter.penalty(keyOf(hit), 1, options);
    counts.push({ count, msBeforeReset: msBeforeNext });
    if (count > quotaOf(hit)) break;
  }
  return counts;
}

/** As the library counts a key, for several of them: its own script would take a round trip for each. */
const COUNT_IN_ORDER = `
local counts = {}
for index, key in ipairs(KEYS) do
  local quota, window = tonumber(ARGV[2 * index - 1]), ARGV[2 * index]
  redis.call('SET', key, 0, 'EX', window, 'NX')
  local count = redis.call('INCR', key)
  counts[index] = { count, redis.call('PTTL', key) }
  if count > quota then break end
end
return counts`;

async function countInRedis(redis: Redis, hits: readonly Hit[]): Promise<Count[]> {
  const keys = hits.map((hit) => `${COUNTER.keyPrefix}:${keyOf(hit)}`);
  const quotas = hits.flatMap((hit) => [quotaOf(hit), LIMITS[hit.limit].windowS]);
  const counts = await redis.eval(COUNT_IN_ORDER, keys.length, ...keys, ...quotas);
  return (counts as [number, number][]).map(([count, msBeforeReset]) => ({ count, msBeforeReset }));
}

const keyOf = (hit: Hit): string => `${hit.limit}:${hit.key}`;

function standingOf(hit: Hit, counted: number, msBeforeReset: number): Standing {
  const quota = quotaOf(hit);
  return {
    hit,
    passes: counted <= quota,
    remaining: Math.max(0, quota - counted),
    resetS: Math.max(1, Math.ceil(msBeforeReset / 1000)),
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
 * Counts a request against limits, in their order, and tells the client where it stands: the answer
 * carries the rate limit fields whatever it becomes.
 *
 * @throws 429 when one is used up (interface, section 8).
 */
export async function limitRequest(
  response: Response,
  limiter: Pick<Limiter, 'consume'>,
  ...hits: readonly Hit[]
): Promise<void> {
  const standings = await limiter.consume(...hits);
  requirePassing(standings);
  response.set(rateLimitHeaders(standings));
}
