import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { VERSION } from '../../src/lib/telemetry/version.js';
import { commandEnv, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { CLI } from '../support/formgate.js';
import { readBlocks } from '../support/guide.js';
import { recordedLeads } from '../support/leads.js';
import { pageWithScript, type ServedPage, servePage, startProbingApp } from '../support/probed.js';
import { describeWith } from '../support/programs.js';
import { eventually } from '../support/wait.js';

const GUIDE = 'docs/operations.md';

/** The mailbox of the website, to which no e-mail comes through. */
const DESK = 'desk@acme.test';

/** What a command of a shell, or of SQL, begins with. */
const COMMAND =
  /^(formgate|npm|node|npx|openssl|kubectl|docker|systemctl|redis-cli|curl|psql|pg_\w+|createdb|dropdb|kill|SELECT|UPDATE|INSERT|DELETE|ALTER|CREATE|DROP|REINDEX) \S|^(VACUUM|ANALYZE|CHECKPOINT)\b/;

/** Commands that are not carried out here, each with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'npm test': 'runs this test',
  'npm run faults': 'takes an hour; CI runs its short form',
  'kubectl rollout status deployment/formgate-worker': 'needs a cluster; test/deploy checks the manifests',
};

/** Lists the commands of a guide: those in code spans and, without their comments, the lines of blocks. */
function commandsOf(path: string): string[] {
  const prose = readFileSync(path, 'utf8').replace(/^```.*?^```$/gms, '');
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, span]) => span!.replace(/\s+/g, ' '));
  const lines = readBlocks(path).flatMap((block) => block.text.split('\n'));
  const commands = [...spans, ...lines].map((line) => line.replace(/\s+#.*$/, '').trim());
  return [...new Set(commands.filter((command) => COMMAND.test(command)))];
}

type Printed = Readonly<{ code: number | null; stdout: string; stderr: string }>;

describeWith('openssl', 'script')(GUIDE, () => {
  let app: TestApp;
  let page: ServedPage;
  let folder: string;
  let env: Record<string, string>;
  let leadId: string;
  let client: pg.Client;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'operations-'));
    await writeFile(join(folder, 'formgate'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
    await chmod(join(folder, 'formgate'), 0o755);
    page = await servePage();
    const smtp = { rcpt: (address: string) => (address === DESK ? '550 5.1.1 No such mailbox' : null) };
    app = await startProbingApp({ smtp });
    env = { ...commandEnv(app), PUBLIC_URL: app.url, OUTBOUND_ALLOW: '127.0.0.1' };
    const settings = { url: `http://${page.host}/`, email: DESK };
    await provision(app.services, [team('acme', { websites: [website(page.host, settings)] })]);
    const id = await websiteId(app.services, page.host);
    page.answer.html = pageWithScript(app.url, id);
    [leadId] = (await recordedLeads(app.services, id, 1)) as [string];
    client = new pg.Client(app.database.url);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await app.close();
    await page.close();
    await rm(folder, { recursive: true });
  });

  /** Puts what this installation has in place of what stands for it in the guide. */
  const filled = (command: string): string =>
    command
      .replace('<email>', 'owner@acme.test')
      .replace('<slug>', 'acme')
      .replace('<host or id>', page.host)
      .replace('01a20a93-4191-73cd-ac72-36a83b08fe57', leadId);

  /** Carries out a command as an operator's shell does. */
  async function shell(command: string, over: Record<string, string> = {}): Promise<Printed> {
    const child = spawn('sh', ['-c', filled(command)], {
      env: { ...env, ...over, PATH: `${folder}:${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { code, stdout, stderr };
  }

  /** Carries out a command on a terminal, where its question is answered. */
  async function terminal(command: string, answer: string): Promise<Printed> {
    const child = spawn('script', ['-qec', filled(command), '/dev/null'], {
      env: { ...env, PATH: `${folder}:${process.env.PATH}` },
    });
    child.stdout.once('data', () => child.stdin.write(answer));
    const [stdout, [code]] = await Promise.all([
      text(child.stdout),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { code, stdout, stderr: '' };
  }

  const done = (stdout: RegExp) => ({ code: 0, stdout: expect.stringMatching(stdout), stderr: '' });

  /** Waits until so many e-mails about the lead were refused. */
  const refused = (count: number) =>
    eventually(async () => {
      const { state } = await app.services.db.orm.notification.findUniqueOrThrow({
        where: { submissionId: leadId },
      });
      const attempts = await app.services.db.orm.notificationAttempt.count({
        where: { submissionId: leadId },
      });
      return state === 'failed' && attempts === count;
    });

  /** What is expected of each command; the last ones change what the others need. */
  const EXPECTED: Readonly<Record<string, (command: string) => Promise<void>>> = {
    'openssl rand -base64 32': async (command) =>
      expect(await shell(command)).toEqual(done(/^[A-Za-z0-9+/]{43}=\n$/)),
    'formgate --version': async (command) => expect((await shell(command)).stdout).toBe(`${VERSION}\n`),
    'formgate migrate': async (command) =>
      expect(await shell(command)).toMatchObject({ code: 0, stderr: '' }),
    'formgate migrate --status': async (command) => expect(await shell(command)).toMatchObject({ code: 0 }),
    'formgate doctor': async (command) => {
      const { stdout } = await shell(command);
      expect(stdout).toMatch(/^database +ok/m);
      expect(stdout).toMatch(/^mail server +ok/m);
    },
    'formgate team suspend <slug>': async (command) => {
      expect(await shell(command)).toMatchObject({ code: 0, stderr: '' });
      expect(await app.services.db.orm.team.findFirst({ select: { active: true } })).toEqual({
        active: false,
      });
    },
    'formgate team resume <slug>': async (command) => {
      expect(await shell(command)).toMatchObject({ code: 0, stderr: '' });
      expect(await app.services.db.orm.team.findFirst({ select: { active: true } })).toEqual({
        active: true,
      });
    },
    'formgate notifications list': async (command) =>
      expect(await shell(command)).toEqual(done(new RegExp(leadId))),
    'formgate notifications list --state failed --since 2d': async (command) => {
      await refused(1);
      expect(await shell(command)).toEqual(done(new RegExp(leadId)));
    },
    // It stands for the two below.
    'formgate notifications resend': async (command) =>
      expect(await shell(command)).toMatchObject({ code: 2, stdout: '' }),
    'formgate notifications resend --lead 01a20a93-4191-73cd-ac72-36a83b08fe57': async (command) => {
      expect(await shell(command)).toMatchObject({ code: 0, stderr: '' });
      await refused(2);
    },
    'formgate notifications resend --state failed --team acme --since 2d': async (command) => {
      expect(await terminal(command, 'y\n')).toMatchObject({ code: 0 });
      await refused(3);
    },
    'formgate probe <host or id>': async (command) =>
      expect(await shell(command)).toEqual(done(/^page +ok .*^recorded +ok .*^email +ok /ms)),
    'formgate retention --dry-run': async (command) => {
      await app.services.db.orm.submission.update({
        where: { id: leadId },
        data: { createdAt: new Date(Date.now() - 40 * 31 * 86_400_000) },
      });
      expect(await shell(command)).toEqual(done(/acme/));
      expect(await app.services.db.orm.submission.count()).toBe(1);
    },
    'formgate retention': async (command) => {
      expect(await shell(command)).toMatchObject({ code: 0, stderr: '' });
      expect(await app.services.db.orm.submission.count()).toBe(0);
    },
    'formgate user reset <email>': async (command) =>
      expect(await shell(command)).toEqual(done(/\S{12,}\n$/)),
    'formgate rekey': async (command) => {
      const keys = { APP_KEY: Buffer.alloc(32, 8).toString('base64'), APP_KEY_PREVIOUS: env.APP_KEY! };
      expect(await shell(command, keys)).toMatchObject({ code: 0, stderr: '' });
      expect(await shell(command, keys)).toEqual(done(/nothing/i));
    },
    // test/cli/lost-key.test.ts has the whole procedure.
    'DELETE FROM key_checks': async (command) => {
      const other = { APP_KEY: Buffer.alloc(32, 9).toString('base64') };
      expect(await shell('formgate migrate', other)).toMatchObject({ code: 1 });
      await client.query(command);
      expect(await shell('formgate migrate', other)).toMatchObject({ code: 0, stderr: '' });
    },
    'UPDATE webhooks SET previous_cipher = NULL, previous_until = NULL': async (command) =>
      expect((await client.query(command)).rowCount).toBe(0),
    'DELETE FROM webhook_former_secrets': async (command) =>
      expect((await client.query(command)).rowCount).toBe(0),
    "SELECT * FROM monthly_reports WHERE state <> 'sent'": async (command) =>
      expect((await client.query(command)).rows).toEqual([]),
    "SELECT * FROM spam_digests WHERE state <> 'sent'": async (command) =>
      expect((await client.query(command)).rows).toEqual([]),
    'SELECT pg_terminate_backend(pid)': async (command) => {
      const other = new pg.Client(app.database.url);
      await other.connect();
      const { rows } = await other.query('SELECT pg_backend_pid() AS pid');
      const errors: string[] = [];
      other.on('error', ({ message }) => errors.push(message));
      const ended = new Promise<void>((resolve) => other.once('end', resolve));
      await client.query(`${command} FROM (VALUES ($1::int)) AS session (pid)`, [rows[0].pid]);
      await ended;
      expect(errors[0]).toMatch(/terminat/);
    },
    "ALTER ROLE formgate SET statement_timeout = '60s'": (command) =>
      altered(command, 'statement_timeout=60s'),
    'ALTER ROLE formgate SET jit = off': (command) => altered(command, 'jit=off'),
    'VACUUM FULL': async (command) => expect((await client.query(command)).command).toBe('VACUUM'),
  };

  /** Alters a role within a transaction that is undone, since roles belong to the whole server. */
  async function altered(command: string, setting: string): Promise<void> {
    const { rows: known } = await client.query(`SELECT FROM pg_roles WHERE rolname = 'formgate'`);
    await client.query('BEGIN');
    try {
      if (known.length === 0) await client.query('CREATE ROLE formgate');
      await client.query(command);
      const { rows } = await client.query(`SELECT setconfig FROM pg_db_role_setting
                                            WHERE setrole = 'formgate'::regrole AND setdatabase = 0`);
      expect(rows[0].setconfig).toContain(setting);
    } finally {
      await client.query('ROLLBACK');
    }
  }

  test('has no command but those that are carried out here, or left out for a reason', () => {
    expect(commandsOf(GUIDE).sort()).toEqual([...Object.keys(EXPECTED), ...Object.keys(LEFT_OUT)].sort());
  });

  test.each(Object.keys(EXPECTED))(
    '%s does what it is there for',
    async (command) => {
      await EXPECTED[command]!(command);
    },
    120_000,
  );
});
