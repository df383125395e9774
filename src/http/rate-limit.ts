import type { Response } from 'express';
import type { Redis } from 'ioredis';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { tooManyRequests } from '../errors.js';
import { createGathering } from '../lib/gather.js';
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
  const askRedis = redis && createSharedCounter(redis);
  const local = new RateLimiterMemory(COUNTER);
  let askAgainAt = 0;
  let warnAgainAt = 0;

  function warn(reason: string): void {
    if (Date.now() < warnAgainAt) return;
    warnAgainAt = Date.now() + WARN_EVERY_MS;
    log.warn({ reason }, 'Redis is away: each process counts its limits alone');
  }

  function alone(question: Question): Promise<Count[]> {
    limiterFallbacks.inc();
    return countHere(local, question);
  }

  /** What Redis answers, else what this process answers. */
  async function ask(question: Question): Promise<Count[]> {
    if (!askRedis) return countHere(local, question);
    if (Date.now() < askAgainAt) return alone(question);
    if (redis.status !== 'ready') {
      warn('not connected');
      return alone(question);
    }
    // While it is in doubt, one request at a time finds out.
    if (askAgainAt > 0) askAgainAt = Date.now() + RETRY_REDIS_MS;
    try {
      const answer = await askRedis(question);
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
      const counts = await ask({ hits, isCounted: true });
      return counts.map(({ count, msBeforeReset }, index) => standingOf(hits[index]!, count, msBeforeReset));
    },

    /** Where a hit would stand, without counting it. */
    async peek(hit: Hit): Promise<Standing> {
      const [count] = await ask({ hits: [hit], isCounted: false });
      return standingOf(hit, (count?.count ?? 0) + 1, count?.msBeforeReset ?? 0);
    },
  };
}

/** Hits of one request, to be counted in their order or only looked at. */
type Question = Readonly<{ hits: readonly Hit[]; isCounted: boolean }>;

type Count = Readonly<{ count: number; msBeforeReset: number }>;

async function countHere(counter: RateLimiterMemory, { hits, isCounted }: Question): Promise<Count[]> {
  const counts: Count[] = [];
  for (const hit of hits) {
    const options = { customDuration: LIMITS[hit.limit].windowS };
    const found = isCounted ? await counter.penalty(keyOf(hit), 1, options) : await counter.get(keyOf(hit));
    const count = found?.consumedPoints ?? 0;
    counts.push({ count, msBeforeReset: found?.msBeforeNext ?? 0 });
    if (count > quotaOf(hit)) break;
  }
  return counts;
}

/**
 * Questions one after the other, each a number of keys with a quota and a window in seconds for each; a window
 * of 0 is only to be looked at. Two numbers for each key that was come to, and -1 at the end of each question.
 */
const COUNT_IN_ORDER = `
local answer, key, argument = {}, 0, 0
while key < #KEYS do
  argument = argument + 1
  local last, isOpen = key + tonumber(ARGV[argument]), true
  while key < last do
    key = key + 1
    local quota, window = tonumber(ARGV[argument + 1]), tonumber(ARGV[argument + 2])
    argument = argument + 2
    if isOpen then
      local count, left
      if window == 0 then
        count, left = tonumber(redis.call('GET', KEYS[key]) or 0), redis.call('PTTL', KEYS[key])
      else
        count = redis.call('INCR', KEYS[key])
        if count == 1 then
          redis.call('EXPIRE', KEYS[key], window)
          left = window * 1000
        else
          left = redis.call('PTTL', KEYS[key])
        end
      end
      answer[#answer + 1] = count
      answer[#answer + 1] = left
      isOpen = count <= quota
    end
  end
  answer[#answer + 1] = -1
end
return answer`;

/** Questions of one script; others come to their turn in between. */
const MAX_QUESTIONS = 100;

/** Counts in Redis: the questions that come at the same time in one round trip. */
function createSharedCounter(redis: Redis): (question: Question) => Promise<Count[]> {
  redis.defineCommand('countInOrder', { lua: COUNT_IN_ORDER });
  const { countInOrder } = redis as Redis & {
    countInOrder(keys: number, ...keysAndArguments: (string | number)[]): Promise<number[]>;
  };

  async function askTogether(questions: readonly Question[]): Promise<Count[][]> {
    const keys: string[] = [];
    const settings: number[] = [];
    for (const { hits, isCounted } of questions) {
      settings.push(hits.length);
      for (const hit of hits) {
        keys.push(`${COUNTER.keyPrefix}:${keyOf(hit)}`);
        settings.push(quotaOf(hit), isCounted ? LIMITS[hit.limit].windowS : 0);
      }
    }
    const answer = await countInOrder.call(redis, keys.length, ...keys, ...settings);
    let at = 0;
    return questions.map(() => {
      const counts: Count[] = [];
      for (; answer[at] !== -1; at += 2) counts.push({ count: answer[at]!, msBeforeReset: answer[at + 1]! });
      at += 1;
      return counts;
    });
  }

  return createGathering({ work: askTogether, maxSize: MAX_QUESTIONS, atOnce: 8 });
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
  for (const [name, value] of Object.entries(rateLimitHeaders(standings))) response.setHeader(name, value);
}
