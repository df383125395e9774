import { execFileSync } from 'node:child_process';
import { mkdtemp, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { VERSION } from '../../src/lib/telemetry/version.js';
import { type DebianPostgres, INITDB, startDebianPostgres } from '../support/debian-postgres.js';
import { DEMO } from '../support/demo.js';
import { type Block, readBlocks } from '../support/guide.js';
import { createMachine, type Machine } from '../support/machine.js';
import { describeWith } from '../support/programs.js';
import { startRedisServer, type TestRedis } from '../support/redis.js';
import { startSmtpSink } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

const blocks = readBlocks('docs/install.md');

/** Blocks that ran or, where they change the system itself, were read. */
const followed = new Set<Block>();

const PROGRAMS = [INITDB, 'psql', 'createdb', 'pg_dump', 'pg_restore', 'redis-server', 'openssl', 'curl'];

describeWith(...PROGRAMS)('docs/install.md', () => {
  let folder: string;
  let sink: Awaited<ReturnType<typeof startSmtpSink>>;
  const servers: { stop(): Promise<void> }[] = [];
  const machines: Machine[] = [];
  let first: Machine;
  let token: string;

  /** A server with PostgreSQL, Redis and the variables of the guide. */
  async function openMachine(): Promise<Machine> {
    const postgres: DebianPostgres = await startDebianPostgres();
    servers.push(postgres);
    const redis: TestRedis = await startRedisServer();
    servers.push(redis);
    const env = {
      ...postgres.env,
      VERSION,
      ARCHIVE: join(folder, 'formgate.tar.gz'),
      DOMAIN: 'forms.agency.test',
      MAIL_FROM: 'Agency Forms <forms@agency.test>',
      MAIL_SERVER: sink.url,
      DATABASE_PASSWORD: '0123456789abcdef',
      STAFF_EMAIL: 'nina@agency.test',
      STAFF_NAME: 'Nina',
      BACKUP: join(folder, 'formgate.dump'),
    };
    const machine = await createMachine({ env, postgresPort: postgres.port, redisUrl: redis.url });
    machines.push(machine);
    return machine;
  }

  /** Follows the guide under a heading, and returns what its commands printed. */
  async function follow(machine: Machine, heading: string, only?: number): Promise<string> {
    const under = blocks.filter((block) => block.heading === heading && block.kind !== 'settings');
    expect({ heading, has: under.length > (only ?? 0) }).toEqual({ heading, has: true });
    let printed = '';
    for (const block of only === undefined ? under : [under[only]!]) {
      printed += await machine.run(block);
      followed.add(block);
    }
    return printed;
  }

  /** Another server, up to where the backup is restored, with the release and the key of the first. */
  async function openCopy(): Promise<Machine> {
    const copy = await openMachine();
    await copy.shell(`mkdir /opt/formgate && cp --recursive '${first.folder}/opt/${VERSION}' /opt/formgate`);
    await follow(copy, 'The database');
    await follow(copy, 'Settings and secrets');
    await copy.shell(`cp '${first.folder}/etc/app-key' /etc/formgate/app-key`);
    return copy;
  }

  /** Records a lead over a gateway. */
  async function submit(machine: Machine, port: 3000 | 3001): Promise<string> {
    const url = `${machine.urlOf(port)}/api/websites/${DEMO.websiteId}/forms/contact/submit`;
    const fields = { name: 'Ada', email: 'ada@example.com', topic: 'other', message: 'Hello', privacy: 1 };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(fields) });
    expect(response.status).toBe(200);
    return ((await response.json()) as { lead_id: string }).lead_id;
  }

  /** Records that a lead is to be forwarded, as the panel does. */
  const forward = (machine: Machine, leadId: string, address: string) =>
    machine.shell(`psql --dbname=formgate --set=ON_ERROR_STOP=1 --command="
      INSERT INTO requested_emails (email_id, submission_id, kind, recipients)
      VALUES (gen_random_uuid(), '${leadId}', 'forwarded', ARRAY['${address}'])"`);

  /** Records a webhook with a delivery that waits for its first attempt. */
  const owe = (machine: Machine) =>
    machine.shell(`psql --dbname=formgate --set=ON_ERROR_STOP=1 --command="
      WITH webhook AS (
        INSERT INTO webhooks (id, team_id, url, events, secret_cipher)
        SELECT gen_random_uuid(), id, 'https://receiver.example/', '{form.changed}', '' FROM teams LIMIT 1
        RETURNING id)
      INSERT INTO webhook_deliveries (webhook_id, type, payload) SELECT id, 'form.changed', '{}' FROM webhook"`);

  /** Counts deliveries of webhooks by their state. */
  const deliveries = (machine: Machine) =>
    machine.shell(
      `psql --dbname=formgate -Atc 'SELECT state, count(*) FROM webhook_deliveries GROUP BY state ORDER BY state'`,
    );

  const mails = (leadId: string) => sink.messages.filter(({ mail }) => mail.text?.includes(leadId)).length;
  const mailed = (leadId: string) => sink.waitFor(({ mail }) => mail.text?.includes(leadId) ?? false, 60_000);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guide-'));
    sink = await startSmtpSink();
    const left = ['node_modules', 'dist', 'src/generated', '.git', '.data', 'coverage'];
    execFileSync('tar', [
      ...['-czf', join(folder, 'formgate.tar.gz'), '--transform=s,^\\.,formgate,'],
      ...[...left.map((path) => `--exclude=./${path}`), '.'],
    ]);
  });

  afterAll(async () => {
    for (const part of machines) await part.close();
    for (const part of servers) await part.stop();
    await sink.stop();
    await rm(folder, { recursive: true });
  });

  test('its variables are those that the test sets', async () => {
    first = await openMachine();
    const { text } = blocks.find(({ kind }) => kind === 'settings')!;
    for (const [, name] of text.matchAll(/^export (\w+)=/gm)) expect(first.env).toHaveProperty(name!);
    await first.shell(text, '-nc');
  });

  test('its steps lead from an archive to e-mail about a lead', async () => {
    await follow(first, 'What it needs');
    expect(await follow(first, 'Building a release')).toMatch(new RegExp(`^${VERSION}$`, 'm'));
    await follow(first, 'The database');
    await follow(first, 'Settings and secrets');
    expect(await follow(first, 'The first account')).toMatch(/^[\w-]{20}$/m);
    await follow(first, 'Starting');
    await follow(first, 'The proxy');

    const command = `/opt/formgate/${VERSION}/deploy/systemd/formgate`;
    await first.shell(`${command} provision '${resolve('examples/agency.yaml')}'`);
    const names = `--team ${DEMO.team} --user ${DEMO.owner} --name guide`;
    token = (await first.shell(`${command} token create ${names}`)).trim();
    await mailed(await submit(first, 3000));
    await mailed(await submit(first, 3001));
  });

  test('an upgrade ends with every process on the new release', async () => {
    const version = `${VERSION}-next`;
    await first.shell(`cp --recursive /opt/formgate/${VERSION} /opt/formgate/${version}`);
    first.env.VERSION = version;
    await follow(first, 'Upgrading');
    await follow(first, 'Starting', 2);
    for (const { pid } of first.processes()) expect(await readlink(`/proc/${pid}/cwd`)).toMatch(/-next$/);
    await mailed(await submit(first, 3000));
    await mailed(await submit(first, 3001));
    first.env.VERSION = VERSION;
  });

  test('a restored copy that takes over e-mails nothing twice, and all that was set aside when asked to', async () => {
    await first.stop('formgate-worker@9090');
    const pending = await submit(first, 3000);
    await forward(first, pending, 'partner@example.com');
    await owe(first);
    await follow(first, 'Backing up');
    expect((await stat(first.env.BACKUP!)).mode & 0o777).toBe(0o600);

    const second = await openCopy();
    await follow(second, 'Restoring on another machine');
    expect(await follow(second, 'Setting mail aside', 0)).toMatch(/^INSERT 0 1\nINSERT 0 1\nINSERT 0 1$/m);
    expect(await deliveries(second)).toBe('failed|1\n');
    await follow(second, 'Starting');
    await mailed(await submit(second, 3000));
    expect(mails(pending)).toBe(0);

    expect(await follow(second, 'Setting mail aside', 1)).toMatch(/^UPDATE 1\nUPDATE 1\nUPDATE 1$/m);
    await sink.waitFor(({ recipients }) => recipients.includes('partner@example.com'), 60_000);
    // Either may come first, and both name the lead.
    await eventually(() => mails(pending) >= 2);
    expect(mails(pending)).toBe(2);
  });

  test('a copy to look at sends nothing, even with a worker', async () => {
    const copy = await openCopy();
    await follow(copy, 'A copy to look at', 0);
    await follow(copy, 'Restoring on another machine');
    expect(await deliveries(copy)).toBe('pending|1\n');
    expect(await follow(copy, 'A copy to look at', 1)).toMatch(/^UPDATE 1\nUPDATE 1$/m);
    expect(await deliveries(copy)).toBe('failed|1\n');
    await follow(copy, 'Starting', 0);
    const sent = sink.messages.length;
    await copy.run({ heading: '', kind: 'root', text: 'systemctl start formgate-worker@9090\n' });
    await copy.printed('formgate-worker@9090', /Mail server is away|Mail server fails/);
    const pending = `psql --dbname=formgate -Atc "SELECT count(*) FROM notifications WHERE state = 'pending'"`;
    expect(await copy.shell(pending)).toBe('1\n');
    expect(sink.messages.length).toBe(sent);
  });

  test('no block of it is left out', () => {
    const left = blocks.filter((block) => block.kind !== 'settings' && !followed.has(block));
    expect(left).toEqual([]);
  });
});
