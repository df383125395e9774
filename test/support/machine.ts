import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.js';
import { type Running, runProgram } from './formgate.js';
import type { Block } from './guide.js';
import { readUnit } from './units.js';

type Options = Readonly<{
  /** Variables of the commands; they may change. */
  env: Record<string, string>;
  /** Port of PostgreSQL and address of Redis, in place of a server's usual ones. */
  postgresPort: number;
  redisUrl: string;
}>;

/** What `systemctl` is asked for with Formgate's units. */
const SYSTEMCTL = /^systemctl (?:enable --now|restart|start|stop) (.*formgate-.*)$/gm;

export type Machine = Awaited<ReturnType<typeof createMachine>>;

/**
 * A folder in which the commands of a document run as on a server of its own: /opt/formgate and /etc/formgate are
 * folders in it, and the ports are free ones. In place of systemd it starts what the units say.
 */
export async function createMachine({ env, postgresPort, redisUrl }: Options) {
  const folder = await mkdtemp(join(tmpdir(), 'machine-'));
  const ports = { 3000: await freePort(), 3001: await freePort(), 9090: await freePort() };
  const running = new Map<string, Running>();

  /** Puts what this machine has in place of what a server has. */
  const adapt = (text: string) =>
    text
      .replaceAll('/opt/formgate', `${folder}/opt`)
      .replaceAll('/etc/formgate', `${folder}/etc`)
      .replace('@127.0.0.1/', `@127.0.0.1:${postgresPort}/`)
      .replace('redis://127.0.0.1/0', redisUrl)
      .replace(/\b(3000|3001|9090)\b/g, (port) => String(ports[port as unknown as keyof typeof ports]));

  async function shell(script: string, flags = '-euc'): Promise<string> {
    const variables = { ...env, HOME: process.env.HOME ?? '', FORMGATE_CONFIG: `${folder}/etc` };
    const npm = {
      npm_config_prefer_offline: 'true',
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
    };
    const { code, stdout, stderr } = await runProgram(['sh', flags, adapt(script)], {
      cwd: folder,
      env: { ...variables, ...npm },
    }).finished;
    expect({ script, code, stderr: code === 0 ? '' : stderr }).toEqual({ script, code: 0, stderr: '' });
    return stdout;
  }

  async function stop(name: string): Promise<void> {
    running.get(name)?.child.kill('SIGTERM');
    await running.get(name)?.finished;
    running.delete(name);
  }

  /** Starts a unit as systemd would, or restarts it; one that ends by itself has to end well. */
  async function start(name: string): Promise<void> {
    await stop(name);
    const unit = readUnit(name);
    const [, ...args] = unit.execStart;
    const settings = readFileSync(adapt(unit.environmentFile), 'utf8').matchAll(/^(\w+)="?(.*?)"?$/gm);
    const own = Object.entries(unit.environment).map(([key, value]) => {
      const credential = unit.credentials[value.replace('%d/', '')];
      return [key, adapt(credential ?? value)];
    });
    const program = runProgram([process.execPath, ...args], {
      cwd: adapt(unit.workingDirectory),
      env: {
        ...Object.fromEntries(own),
        ...Object.fromEntries([...settings].map(([, key, value]) => [key, value])),
      },
    });
    if (name.startsWith('formgate-migrate@')) expect(await program.finished).toMatchObject({ code: 0 });
    else running.set(name, program);
  }

  return {
    env,
    folder,
    shell,
    stop: (name: string) => stop(adapt(name)),
    /** The processes of the units that run. */
    processes: () => [...running.values()].map(({ child }) => child),
    /** Resolves when a unit's log matches. */
    printed: (name: string, pattern: RegExp) => running.get(adapt(name))!.printed(pattern),
    /** The address of a gateway or worker by its usual port. */
    urlOf: (port: keyof typeof ports) => `http://127.0.0.1:${ports[port]}`,

    /** Runs a block; of one that changes the system itself it reads the syntax, and does what concerns our units. */
    async run({ kind, text }: Block): Promise<string> {
      if (kind === '') return shell(text);
      await shell(text, '-nc');
      for (const [, units] of text.matchAll(SYSTEMCTL)) {
        const names = await shell(`echo ${units}`);
        for (const name of names.trim().split(' ')) await start(name.replace('.service', ''));
      }
      return '';
    },

    async close(): Promise<void> {
      for (const name of running.keys()) await stop(name);
      await rm(folder, { recursive: true });
    },
  };
}
