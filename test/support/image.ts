import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, posix } from 'node:path';

/** An instruction of the Dockerfile, continuation lines joined: `['COPY', '--from=build /app/dist dist']`. */
type Instruction = readonly [name: string, rest: string];

/** Reads the instructions of the Dockerfile, without comments. */
export async function readDockerfile(): Promise<Instruction[]> {
  const text = (await readFile('Dockerfile', 'utf8')).replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
      return [name, rest];
    });
}

/** Splits `--from=build a b target` into its parts; `from` is undefined when the sources are in the context. */
export function readCopy(rest: string) {
  const words = rest.split(' ');
  const from = words[0]!.startsWith('--from=') ? words.shift()!.slice('--from='.length) : undefined;
  const target = words.pop()!;
  return { from, sources: words, target };
}

/** Patterns that .dockerignore excepts from its `*`, and those that it excludes after all. */
export async function readContext(): Promise<{ included: string[]; excluded: string[] }> {
  const lines = (await readFile('.dockerignore', 'utf8')).split('\n').filter((line) => /^[^#*]/.test(line));
  return {
    included: lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1)),
    excluded: lines.filter((line) => !line.startsWith('!')),
  };
}

/** What `docker build` would make: the root folder of the last stage, and how its process runs. */
export type Image = Readonly<{
  root: string;
  workdir: string;
  env: Readonly<Record<string, string>>;
  uid: number;
  entrypoint: readonly string[];
  healthcheck: readonly string[];
}>;

/**
 * Carries out the steps of the Dockerfile on this machine, each stage in a folder of its own, with this machine's Node
 * in place of the base image's.
 */
export async function buildImage(): Promise<Image> {
  const { excluded } = await readContext();
  const folder = await mkdtemp(join(tmpdir(), 'formgate-image-'));
  await chmod(folder, 0o755);
  const stages = new Map<string, string>();
  let stage = '';
  let workdir = '/';
  let env: Record<string, string> = {};
  const last: Record<string, string> = {};

  async function copy(rest: string): Promise<void> {
    const { from, sources, target } = readCopy(rest);
    const base = from === undefined ? process.cwd() : stages.get(from)!;
    for (const source of sources) {
      const isInto = target.endsWith('/');
      await cp(join(base, source), join(stage, workdir, target, isInto ? basename(source) : ''), {
        recursive: true,
        filter: (path) => from !== undefined || !excluded.some((name) => path === join(base, name)),
      });
    }
  }

  for (const [name, rest] of await readDockerfile()) {
    last[name] = rest;
    if (name === 'FROM') {
      stage = join(folder, String(stages.size));
      workdir = '/';
      env = {};
      stages.set(/ AS (\w+)$/.exec(rest)?.[1] ?? '', stage);
    }
    if (name === 'WORKDIR') {
      workdir = posix.resolve(workdir, rest);
      await mkdir(join(stage, workdir), { recursive: true });
    }
    if (name === 'ENV')
      Object.assign(env, Object.fromEntries(rest.split(' ').map((pair) => pair.split('='))));
    if (name === 'COPY') await copy(rest);
    if (name === 'RUN') {
      const npm = { npm_config_prefer_offline: 'true', npm_config_audit: 'false' };
      const variables = { PATH: process.env.PATH, HOME: process.env.HOME, ...npm, ...env };
      execFileSync('sh', ['-euc', rest], { cwd: join(stage, workdir), env: variables, stdio: 'pipe' });
    }
  }
  return {
    root: stage,
    workdir: join(stage, workdir),
    env,
    uid: Number(last.USER?.split(':')[0]),
    entrypoint: JSON.parse(last.ENTRYPOINT!),
    healthcheck: JSON.parse(last.HEALTHCHECK!.replace(/^.*? CMD /, '')),
  };
}
