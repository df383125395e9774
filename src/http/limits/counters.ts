import type { Redis } from 'ioredis';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createBatcher } from '../../db/batcher.js';
import { createSemaphore } from '../../lib/semaphore.js';
import { type Hit, LIMITS, quotaOf, weightOf } from './limits.js';

/** Defaults of the counter; the limits have windows of different lengths, so each increment passes its own. */
const COUNTER = { keyPrefix: 'limit', points: 0, duration: 60 };

/**
 * What to do with the count of a hit: `add` the hit's weight unless that would exceed the quota, `read` it, or `undo`
 * an earlier `add`, unless the window in which it was counted has ended.
 */
export type Command = Readonly<
  | { op: 'add'; hit: Hit }
  | { op: 'read'; hit: Hit }
  /** `windowLeftMs`: what the window had left when the hit was added. A window with more left is a later one. */
  | { op: 'undo'; hit: Hit; windowLeftMs: number }
>;

/** The count before the command's own change. `msBeforeReset` is negative where there is no window yet. */
export type Count = Readonly<{ count: number; msBeforeReset: number }>;

/**
 * Runs a sequence of commands atomically, up to the first whose count would exceed its quota, and returns the count
 * that each of them found.
 */
export type Counter = (commands: readonly Command[]) => Promise<Count[]>;

/** Returns by how much a command changes the count. */
function changeOf({ op, hit }: Command): number {
  if (op === 'read') return 0;
  return op === 'add' ? weightOf(hit) : -weightOf(hit);
}

/** Creates a counter in the memory of this process. */
export function createLocalCounter(): Counter {
  const counter = new RateLimiterMemory(COUNTER);
  // The library is asynchronous, so another sequence could run between reading a count and adding to it.
  const withMutex = createSemaphore(1);

  async function read(key: string): Promise<Count> {
    const found = await counter.get(key);
    if (!found || found.msBeforeNext <= 0) return { count: 0, msBeforeReset: -1 };
    return { count: found.consumedPoints, msBeforeReset: found.msBeforeNext };
  }

  async function run(commands: readonly Command[]): Promise<Count[]> {
    const counts: Count[] = [];
    for (const command of commands) {
      const { hit } = command;
      const key = keyOf(hit);
      const change = changeOf(command);
      const { count, msBeforeReset } = await read(key);
      const fits = count + change <= quotaOf(hit);
      if (command.op === 'add' && change > 0 && fits) {
        const window = { customDuration: LIMITS[hit.limit].windowS };
        const { msBeforeNext } = await counter.penalty(key, change, window);
        counts.push({ count, msBeforeReset: msBeforeNext });
      } else {
        const isCounted = command.op === 'undo' && msBeforeReset <= command.windowLeftMs;
        if (isCounted && change < 0 && count + change >= 0) await counter.reward(key, -change);
        counts.push({ count, msBeforeReset });
      }
      if (!fits) break;
    }
    return counts;
  }

  return (commands) => withMutex(() => run(commands));
}

/**
 * Runs a batch of sequences one after the other, each atomically up to the first command that does not fit.
 *
 * KEYS has the key of each command. ARGV has, for each sequence, the number of its commands and then four arguments of
 * each: the op, the change of the count, the quota, and milliseconds, which are the length of the window for `add`,
 * what it had left for `undo`, and unused for `read`. The result has two numbers, count and milliseconds left, for each
 * command that ran, and -1 at the end of each sequence.
 */
const RUN_SEQUENCES = `
local result, key, argument = {}, 0, 0
while key < #KEYS do
  argument = argument + 1
  local last, fits = key + tonumber(ARGV[argument]), true
  while key < last do
    key = key + 1
    local op = ARGV[argument + 1]
    local change, quota = tonumber(ARGV[argument + 2]), tonumber(ARGV[argument + 3])
    local windowMs = tonumber(ARGV[argument + 4])
    argument = argument + 4
    if fits then
      local count = tonumber(redis.call('GET', KEYS[key]) or 0)
      local left = redis.call('PTTL', KEYS[key])
      fits = count + change <= quota
      if op == 'add' and change > 0 and fits then
        redis.call('INCRBY', KEYS[key], change)
        if left < 0 then
          redis.call('PEXPIRE', KEYS[key], windowMs)
          left = windowMs
        end
      elseif op == 'undo' and change < 0 and count + change >= 0 and left <= windowMs then
        redis.call('INCRBY', KEYS[key], change)
      end
      result[#result + 1] = count
      result[#result + 1] = left
    end
  end
  result[#result + 1] = -1
end
return result`;

/** Maximum sequences of one script, so that Redis serves other commands between two scripts. */
const MAX_SEQUENCES = 100;

/** Returns the milliseconds that the script takes for a command. */
function windowMsOf(command: Command): number {
  if (command.op === 'undo') return command.windowLeftMs;
  return command.op === 'add' ? LIMITS[command.hit.limit].windowS * 1_000 : 0;
}

/** Creates a counter in Redis, which micro-batches concurrent sequences into one round trip. */
export function createSharedCounter(redis: Redis): Counter {
  redis.defineCommand('runCountSequences', { lua: RUN_SEQUENCES });
  const { runCountSequences } = redis as Redis & {
    runCountSequences(keys: number, ...keysAndArguments: (string | number)[]): Promise<number[]>;
  };

  async function runBatch(sequences: readonly (readonly Command[])[]): Promise<Count[][]> {
    const keys: string[] = [];
    const settings: (string | number)[] = [];
    for (const commands of sequences) {
      settings.push(commands.length);
      for (const command of commands) {
        keys.push(`${COUNTER.keyPrefix}:${keyOf(command.hit)}`);
        settings.push(command.op, changeOf(command), quotaOf(command.hit), windowMsOf(command));
      }
    }
    const result = await runCountSequences.call(redis, keys.length, ...keys, ...settings);
    let at = 0;
    return sequences.map(() => {
      const counts: Count[] = [];
      for (; result[at] !== -1; at += 2) counts.push({ count: result[at]!, msBeforeReset: result[at + 1]! });
      at += 1;
      return counts;
    });
  }

  return createBatcher({ runBatch, maxSize: MAX_SEQUENCES, maxInFlight: 8 });
}

const keyOf = (hit: Hit): string => `${hit.limit}:${hit.key}`;
