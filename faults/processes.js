import { execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const local = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Asks again and again until the answer is truthy; throws when it is not in time. */
export async function until(what, condition, timeoutMs = 90_000) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await Promise.resolve(condition()).catch(() => null);
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs / 1000} s: ${what}`);
    await pause(25);
  }
}

/** Reads a file of JSON lines; other lines, and one that is still being written, are left out. */
export const readLines = (file) =>
  readFileSync(file, { encoding: 'utf8', flag: 'a+' })
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));

/**
 * A program that can be started, killed and started again; its output goes to a file.
 *
 * @param {{ name: string, directory: string, command: string, args: string[], env?: Record<string, string>,
 *   isReady: () => unknown }} program
 */
export function createProgram({ name, directory, command, args, env = {}, isReady }) {
  let child = null;
  let isUp = false;
  const file = join(directory, `${name}.log`);
  const output = openSync(file, 'a');
  return {
    name,
    /** What it has logged so far. */
    lines: () => readLines(file),
    pid: () => child?.pid,
    isRunning: () => child !== null,
    /** Whether it runs and has been ready. */
    isUp: () => isUp,

    async start({ wait = true } = {}) {
      child = spawn(command, args, {
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', output, output],
      });
      const started = child;
      child.once('exit', () => {
        if (child === started) child = null;
        isUp = false;
      });
      const ready = until(`${name} is ready`, () => child !== started || isReady()).then(() => {
        isUp = child === started;
      });
      if (wait) await ready;
      else ready.catch(() => undefined);
    },

    /** kill -9, without a warning. */
    async kill() {
      if (!child) return;
      const dying = child;
      const exited = once(dying, 'exit');
      dying.kill('SIGKILL');
      await exited;
    },

    /** SIGTERM. Resolves with how it ended. */
    async stop() {
      if (!child) return { code: null, tookMs: 0 };
      const startedAt = performance.now();
      const stopping = child;
      const exited = once(stopping, 'exit');
      stopping.kill('SIGTERM');
      const [code] = await exited;
      return { code, tookMs: performance.now() - startedAt };
    },

    /** Waits for the end of a process that another part kills. */
    async died(timeoutMs) {
      await until(`${name} dies`, () => child === null, timeoutMs);
    },
  };
}

/**
 * A `redis-server` of our own that keeps nothing on disk, and its `cli`; it is not started yet.
 *
 * @param {{ directory: string, port: number, args?: string[] }} redis
 */
export function createRedis({ directory, port, args = [] }) {
  const cli = async (...command) =>
    (await promisify(execFile)('redis-cli', ['-p', String(port), ...command])).stdout.trim();
  const files = ['--dir', directory, '--save', '', '--appendonly', 'no'];
  const program = createProgram({
    name: 'redis',
    directory,
    command: 'redis-server',
    args: ['--port', String(port), '--bind', '127.0.0.1', ...files, ...args],
    isReady: async () => (await cli('ping')) === 'PONG',
  });
  return { ...program, cli };
}

/** One of the harness's own modules as a process of its own that takes orders, and answers them while it lives. */
export function forkModule(path, config = {}) {
  const child = fork(local(path), [JSON.stringify(config)], { env: { PATH: process.env.PATH } });
  let lastOrder = 0;
  const waiting = new Map();
  const exited = once(child, 'exit').then(() => {
    for (const { reject } of waiting.values()) reject(new Error(`${path} has ended.`));
  });
  child.on('message', ({ order, result }) => {
    waiting.get(order)?.resolve(result);
    waiting.delete(order);
  });
  return {
    child,
    ask: (type, data = {}) =>
      new Promise((resolve, reject) => {
        lastOrder += 1;
        waiting.set(lastOrder, { resolve, reject });
        child.send({ order: lastOrder, type, ...data }, (error) => error && reject(error));
      }),
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
