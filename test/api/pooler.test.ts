import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createDb } from '../../src/db/client.js';
import { Prisma } from '../../src/generated/prisma/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type Running, runFormgate } from '../support/formgate.js';
import { isRecordWaiting } from '../support/locks.js';
import { panelClient } from '../support/panel.js';
import { type Pooler, startPooler } from '../support/pooler.js';
import { describeWith } from '../support/programs.js';
import { startSmtpSink } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

type Env = Record<string, string>;

describeWith('pgbouncer')('behind a transaction pooler', () => {
  let database: TestDatabase;
  let pooler: Pooler;
  let sink: Awaited<ReturnType<typeof startSmtpSink>>;
  let running: Running;
  let env: Env;
  let url: string;
  let token: string;
  let site: string;

  /** Runs a command that must succeed, and returns what it prints. */
  async function formgate(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runFormgate(args, env).finished;
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  }

  beforeAll(async () => {
    database = await createTestDatabase('Asia/Kolkata');
    [pooler, sink] = await Promise.all([startPooler(database.url), startSmtpSink()]);
    env = {
      DATABASE_URL: pooler.url,
      DIRECT_DATABASE_URL: database.url,
      SMTP_URL: sink.url,
      MAIL_FROM: 'forms@formgate.test',
      PUBLIC_URL: 'http://formgate.test',
      PORT: '0',
      APP_KEY: Buffer.alloc(32, 1).toString('base64'),
    };
    await formgate('provision', 'examples/agency.yaml');
    await database.db.orm.plan.updateMany({
      data: { submissionsPerMinute: 1_000, notificationsPerMonth: null },
    });
    const owner = ['--team', 'lumen', '--user', 'claire@lumen-paysage.test', '--name', 'test'];
    token = await formgate('token', 'create', ...owner);
    running = runFormgate(['start'], env);
    [, url] = (await running.printed(/"url":"([^"]+)","msg":"Gateway listens"/)) as unknown as [
      string,
      string,
    ];
    const websites = await fetch(`${url}/api/websites`, { headers: { authorization: `Bearer ${token}` } });
    const { data } = (await websites.json()) as { data: { id: string }[] };
    site = data[0]!.id;
  });

  afterAll(async () => {
    running?.child.kill('SIGTERM');
    await running?.finished;
    await Promise.all([pooler?.stop(), sink?.stop()]);
    await database?.drop();
  });

  const submit = () =>
    fetch(`${url}/api/websites/${site}/forms/contact/submit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada', email: 'v@x.test', topic: 'other', message: 'x', privacy: 1 }),
    });

  test('concurrent submissions are recorded and mailed over two connections', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, submit));
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as { lead_id: string }[];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const { lead_id } of bodies) await sink.waitFor(({ raw }) => raw.includes(lead_id));
    const problems = running.output().match(/.*"level":(40|50).*/g) ?? [];
    // A busy machine may connect too slowly for once, and what waits for it is tried again.
    expect(problems.filter((line) => !line.includes('"cause":"timed_out"'))).toEqual([]);
  });

  test('a statement that takes too long is cancelled through the pooler, and is not carried out later', async () => {
    const count = await database.db.orm.submission.count();
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE submissions IN EXCLUSIVE MODE');
    const answer = await submit();
    expect(answer.status).toBe(503);
    await eventually(async () => !(await isRecordWaiting(database)));
    await holder.query('COMMIT');
    await holder.end();
    expect((await submit()).status).toBe(200);
    expect(await database.db.orm.submission.count()).toBe(count + 1);
  });

  test('gateway and worker listen for changes over a connection each', async () => {
    const listening = await database.db.orm.$queryRaw`
      SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND query = 'LISTEN "catalogue_changes"'`;
    expect(listening).toHaveLength(2);
  });

  test('sessions are in UTC, though the database is in another time zone', async () => {
    const db = createDb(pooler.url, { isPooled: true });
    const zone = Prisma.sql`SELECT current_setting('TimeZone') AS zone`;
    const zones = await Promise.all([db.orm.$queryRaw(zone), db.sql(zone)]);
    await db.close();
    expect(zones).toEqual([[{ zone: 'UTC' }], [{ zone: 'UTC' }]]);
  });

  test('a team’s inbox is read in the panel', async () => {
    const panel = panelClient(url);
    const account = { email: 'claire@lumen-paysage.test', password: 'demo-owner-password' };
    await panel.ask(
      'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }',
      account,
    );
    const { submissions } = await panel.ask('{ submissions(first: 1) { edges { node { emails } } } }');
    expect(submissions.edges).toEqual([{ node: { emails: ['v@x.test'] } }]);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  test('a process that does not know of the pooler does not start', async () => {
    const { DIRECT_DATABASE_URL, ...others } = env;
    expect(await runFormgate(['gateway'], others).finished).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /startup parameter: options\. Behind a pooler set DIRECT_DATABASE_URL\.\n$/,
      ),
    });
  });
});

test('DIRECT_DATABASE_URL without DATABASE_URL is refused', async () => {
  const env = { DIRECT_DATABASE_URL: 'postgres://127.0.0.1/formgate' };
  const { code, stderr } = await runFormgate(['start'], env).finished;
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'Wrong configuration:\n  DIRECT_DATABASE_URL needs DATABASE_URL beside it\n',
  });
});
