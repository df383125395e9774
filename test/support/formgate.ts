import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

type Finished = Readonly<{ code: number | null; stdout: string; stderr: string }>;

export type Running = Readonly<{
  child: ChildProcess;
  /** What it has printed so far on stdout and stderr. */
  output(): string;
  /** Resolves when its output matches; fails when it ends before that. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  finished: Promise<Finished>;
}>;

/** A data folder of its own for embedded mode. */
export const freshDataDir = (): Promise<string> =>
  mkdtemp(join(process.env.TEST_FOLDER ?? tmpdir(), 'data-'));

/** Runs the built `formgate` command as a process of its own, with only the given environment. */
export const runFormgate = (args: readonly string[], env: Record<string, string>): Running =>
  runProgram([process.execPath, CLI, ...args], { env });

type Where = Readonly<{ env: Record<string, string>; cwd?: string; uid?: number; gid?: number }>;

/** Runs a program with only the given environment and the PATH. */
export function runProgram([command, ...args]: readonly string[], { env, ...where }: Where): Running {
  const child = spawn(command!, args, {
    ...where,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  const heard = () => {
    for (const watcher of watchers) watcher();
  };
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    heard();
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
    heard();
  });
  const finished = once(child, 'close').then(([code]) => {
    heard();
    return { code, stdout, stderr };
  });
  const output = () => stdout + stderr;
  return {
    child,
    output,
    finished,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output());
          if (match) resolve(match);
          else if (child.exitCode !== null || child.signalCode) {
            reject(new Error(`Ended without printing ${pattern}:\n${output()}`));
          } else return;
          watchers.delete(look);
        };
        watchers.add(look);
        look();
      }),
  };
}
