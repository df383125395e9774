import type { Redis } from 'ioredis';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createBatcher } from '../../db/batcher.js';
import { createSemaphore } from '../../lib/semaphore.js';
import { type Hit, LIMITS, quotaOf, weightOf } from './limits.js';

/** Defaults of the counter; the limits have windows of different lengths, so each increment passes its own. */
const COUNTER = { keyPrefix: 'limit', points: 0, duration: 60 };

/** One step of a question, whose steps run in order. */
export type Step = Readonly<{
  hit: Hit;
  /**
   * A positive number is added to the count unless that would exceed the quota, 0 only reads the count, and a negative
   * number takes an increment back.
   */
  change: number;
  /**
   * For an increment, the length of the window in seconds. To take one back, the milliseconds that the window had
   * left when it was counted; a window with more left is another one.
   */
  span: number;
}>;

export const counting = (hit: Hit): Step => ({ hit, change: weightOf(hit), span: LIMITS[hit.limit].windowS });

export const lookingAt = (hit: Hit): Step => ({ hit, change: 0, span: 0 });

/** The count before a step's own change. `msBeforeReset` is negative where there is no window yet. */
export type Count = Readonly<{ count: number; msBeforeReset: number }>;

/** Runs steps up to the first that does not fit into its quota, and returns the count that each found. */
export type Counter = (steps: readonly Step[]) => Promise<Count[]>;

/** Creates a counter in the memory of this process. */
export function createLocalCounter(): Counter {
  const counter = new RateLimiterMemory(COUNTER);
  // The library answers by promises, so another question could come between reading a count and adding to it.
  const inTurn = createSemaphore(1);

  async function read(key: string): Promise<Count> {
    const found = await counter.get(key);
    if (!found || found.msBeforeNext <= 0) return { count: 0, msBeforeReset: -1 };
    return { count: found.consumedPoints, msBeforeReset: found.msBeforeNext };
  }

  async function run(steps: readonly Step[]): Promise<Count[]> {
    const counts: Count[] = [];
    for (const { hit, change, span } of steps) {
      const key = keyOf(hit);
      const { count, msBeforeReset } = await read(key);
      const fits = count + change <= quotaOf(hit);
      if (change > 0 && fits) {
        const { msBeforeNext } = await counter.penalty(key, change, { customDuration: span });
        counts.push({ count, msBeforeReset: msBeforeNext });
      } else {
        if (change < 0 && count + change >= 0 && msBeforeReset <= span) await counter.reward(key, -change);
        counts.push({ count, msBeforeReset });
      }
      if (!fits) break;
    }
    return counts;
  }

  return (steps) => inTurn(() => run(steps));
}

/**
 * Runs a batch of questions one after the other. Each question is a number of keys and, for each key, change, quota
 * and span as in `Step`. The result has two numbers, count and milliseconds left, for each key that was reached, and
 * -1 at the end of each question.
 */
const COUNT_IN_ORDER = `
local answer, key, argument = {}, 0, 0
while key < #KEYS do
  argument = argument + 1
  local last, isOpen = key + tonumber(ARGV[argument]), true
  while key < last do
    key = key + 1
    local change, quota = tonumber(ARGV[argument + 1]), tonumber(ARGV[argument + 2])
    local span = tonumber(ARGV[argument + 3])
    argument = argument + 3
    if isOpen then
      local count = tonumber(redis.call('GET', KEYS[key]) or 0)
      local left = redis.call('PTTL', KEYS[key])
      isOpen = count + change <= quota
      if change > 0 and isOpen then
        redis.call('INCRBY', KEYS[key], change)
        if left < 0 then
          redis.call('EXPIRE', KEYS[key], span)
          left = span * 1000
        end
      elseif change < 0 and count + change >= 0 and left <= span then
        redis.call('INCRBY', KEYS[key], change)
      end
      answer[#answer + 1] = count
      answer[#answer + 1] = left
    end
  end
  answer[#answer + 1] = -1
end
return answer`;

/** Maximum questions of one script, so that Redis serves other commands between two scripts. */
const MAX_QUESTIONS = 100;

/** Creates a counter in Redis, which micro-batches concurrent questions into one round trip. */
export function createSharedCounter(redis: Redis): Counter {
  redis.defineCommand('countInOrder', { lua: COUNT_IN_ORDER });
  const { countInOrder } = redis as Redis & {
    countInOrder(keys: number, ...keysAndArguments: (string | number)[]): Promise<number[]>;
  };

  async function askTogether(questions: readonly (readonly Step[])[]): Promise<Count[][]> {
    const keys: string[] = [];
    const settings: number[] = [];
    for (const steps of questions) {
      settings.push(steps.length);
      for (const { hit, change, span } of steps) {
        keys.push(`${COUNTER.keyPrefix}:${keyOf(hit)}`);
        settings.push(change, quotaOf(hit), span);
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

  return createBatcher({ runBatch: askTogether, maxSize: MAX_QUESTIONS, maxInFlight: 8 });
}

const keyOf = (hit: Hit): string => `${hit.limit}:${hit.key}`;
