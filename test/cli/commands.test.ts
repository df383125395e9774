import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrationNames } from '../../src/db/migration/migrations.js';
import { VERSION } from '../../src/lib/telemetry/version.js';
import {
  createEmptyDatabase,
  createTestDatabase,
  dumpTables,
  type TestDatabase,
} from '../support/database.js';
import { CLI, runFormgate, runProgram } from '../support/formgate.js';
import { describeWithRedis, startRedisServer } from '../support/redis.js';

let database: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  env = {
    DATABASE_URL: database.url,
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'forms@formgate.test',
    PUBLIC_URL: 'http://formgate.test',
    APP_KEY: Buffer.alloc(32, 1).toString('base64'),
    LOG_LEVEL: 'silent',
  };
});

afterAll(() => database.drop());

const formgate = (...args: string[]) => runFormgate(args, env).finished;

async function documentOf(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'document-')), 'document.yaml');
  await writeFile(file, text);
  return file;
}

test.each(['--version', '-v', 'version'])('%s prints the version and nothing else', async (argument) => {
  expect(await formgate(argument)).toMatchObject({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
});

test('provision applies a document once, and then changes nothing', async () => {
  const first = await formgate('provision', 'examples/agency.yaml');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('created team lumen');
  const before = await dumpTables(database.url);
  expect(await formgate('provision', 'examples/agency.yaml')).toEqual({
    code: 0,
    stdout: 'nothing changed\n',
    stderr: '',
  });
  expect(await dumpTables(database.url)).toEqual(before);
});

test('a bad document names each fault with its path, and nothing is written', async () => {
  const before = await dumpTables(database.url);
  const file = await documentOf(`
users:
  - { email: new@agency.test, name: New }
teams:
  - slug: lumen
    members: [{ email: nobody@agency.test, role: boss }]
    forms:
      - { slug: contact, fields: [{ name: page_url, type: text, label: Page }] }
      - { slug: quote, fields: [{ name: a, type: txt, label: A }] }
`);
  const { code, stdout, stderr } = await formgate('provision', file);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('teams[0].members[0].role: ');
  expect(stderr).toContain('teams[0].forms[0].fields[0].name: ');
  expect(stderr).toContain('teams[0].forms[1].fields[0].type: ');
  expect(await dumpTables(database.url)).toEqual(before);
});

test('a key such as __proto__ is reported as unknown', async () => {
  const file = await documentOf(
    'teams: [{ slug: x, forms: [{ slug: y, translations: { __proto__: {} } }] }]',
  );
  expect(await formgate('provision', file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('teams[0].forms[0].translations.__proto__: '),
  });
});

test('attributes that would run a script are refused', async () => {
  const field = '{ name: a, type: text, label: A, attributes: { onclick: x(), maxlength: abc } }';
  const file = await documentOf(`teams: [{ slug: lumen, forms: [{ slug: contact, fields: [${field}] }] }]`);
  const { stderr } = await formgate('provision', file);
  expect(stderr).toContain('fields[0].attributes.onclick: ');
  expect(stderr).toContain('fields[0].attributes.maxlength: ');
});

test.each<[string, BufferEncoding, string]>([
  ['Windows-1252', 'latin1', ''],
  ['UTF-16', 'utf16le', '\uFEFF'],
])('a document in %s is refused, and nothing is written', async (_name, encoding, mark) => {
  const before = await dumpTables(database.url);
  const file = await documentOf('');
  const text = `${mark}users: [{ email: accents@agency.test, name: Société }]`;
  await writeFile(file, Buffer.from(text, encoding));
  expect(await formgate('provision', file)).toEqual({
    code: 1,
    stdout: '',
    stderr: `${file} is not UTF-8. Save it in that encoding.\n`,
  });
  expect(await dumpTables(database.url)).toEqual(before);
});

test.each([
  ['a file that is not there', ['provision', 'no-such.yaml'], /^Cannot read no-such\.yaml: no such file\n$/],
  [
    'a token for an unknown team',
    ['token', 'create', '--team', 'nope', '--user', 'claire@lumen-paysage.test', '--name', 'x'],
    /^There is no team nope\.\n$/,
  ],
  [
    'a token for a member, who may not hold one',
    ['token', 'create', '--team', 'lumen', '--user', 'hugo@lumen-paysage.test', '--name', 'x'],
    /owners and administrators.*\n$/,
  ],
  ['no file', ['provision'], /^The command takes one file, and nothing else\.\n$/],
  ['two files', ['provision', 'a.yaml', 'b.yaml'], /^The command takes one file, and nothing else\.\n$/],
  ['an unknown command', ['launch'], /^Unknown command: launch\. .*\n$/],
  ['no command', [], /^There is no command\. .*\n$/],
  ['an argument too many', ['migrate', 'now'], /^Unknown argument: now\.\n$/],
  ['an unknown option', ['migrate', '--fast'], /^Unknown option: --fast\.\n$/],
  ['an option without its value', ['token', 'create', '--team'], /^--team needs a value\.\n$/],
  [
    'a token without a team',
    ['token', 'create', '--user', 'a@b.test', '--name', 'x'],
    /^--team is required\.\n$/,
  ],
  [
    'an unknown ability',
    ['token', 'create', '--team', 'lumen', '--user', 'a@b.test', '--name', 'x', '--abilities', 'team:all'],
    /^--abilities: unknown team:all.*\n$/,
  ],
  [
    'an expiry in the past',
    ['token', 'create', '--team', 'lumen', '--user', 'a@b.test', '--name', 'x', '--expires-at', '2001-01-01'],
    /^--expires-at must be.*\n$/,
  ],
  [
    'an option of another command',
    ['user', 'create', '--email', 'a@b.test', '--name', 'x', '--team', 'lumen'],
    /^Unknown option: --team\.\n$/,
  ],
  [
    'an argument too many for an account',
    ['user', 'create', 'extra', '--email', 'a@b.test', '--name', 'x'],
    /^Unknown argument: extra\.\n$/,
  ],
  ['an option for the gateway', ['gateway', '--status'], /^Unknown option: --status\.\n$/],
  ['an argument for the worker', ['worker', 'now'], /^Unknown argument: now\.\n$/],
  ['a short option', ['start', '-x'], /^Unknown option: -x\.\n$/],
  [
    'an option that is a property of every object',
    ['migrate', '--toString'],
    /^Unknown option: --toString\.\n$/,
  ],
  ['a value for an option that takes none', ['migrate', '--status=yes'], /^--status takes no value\.\n$/],
  [
    'an option in place of a value',
    ['token', 'create', '--team', '--user', 'a@b.test'],
    /^--team needs a value\.\n$/,
  ],
  [
    'an account without an e-mail address',
    ['user', 'create', '--email', 'nina', '--name', 'x'],
    /^--email must be an e-mail address\.\n$/,
  ],
  [
    'an account with too long a name',
    ['user', 'create', '--email', 'nina@agency.test', '--name', 'x'.repeat(256)],
    /^--name must be at most 255 characters\.\n$/,
  ],
])('%s prints one line and exits with 1', async (_case, args, message) => {
  const { code, stdout, stderr } = await formgate(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(message);
});

test('user create prints a generated password, once for each address', async () => {
  const args = ['user', 'create', '--email', 'Nina@Agency.test', '--name', 'Nina', '--staff'];
  expect(await formgate(...args)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\w-]{20}\n$/) });
  expect(await formgate(...args)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'There already is an account nina@agency.test.\n',
  });
});

test.each([
  ['of 11 characters', 'x'.repeat(11), 'The password must have 12 to 200 characters.\n'],
  ['of 201 characters', 'x'.repeat(201), 'The password must have 12 to 200 characters.\n'],
  ['in Windows-1252', 'caf\\351 cr\\350me br\\373l\\351e', 'The password is not UTF-8.\n'],
])('user create refuses a password %s', async (_case, written, stderr) => {
  const create = `node ${CLI} user create --email pia@agency.test --name Pia --password-stdin`;
  const command = ['sh', '-c', `printf '${written}' | ${create}`];
  expect(await runProgram(command, { env }).finished).toEqual({ code: 1, stdout: '', stderr });
});

test('migrate --status lists what is applied, pending and of a later version, and changes nothing', async () => {
  const other = await createTestDatabase();
  await other.db.orm.$executeRaw`UPDATE _prisma_migrations SET migration_name = '99990101000000_later'
    WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`;
  const before = await dumpTables(other.url);
  const { code, stdout } = await runFormgate(['migrate', '--status'], { ...env, DATABASE_URL: other.url })
    .finished;
  expect(code).toBe(0);
  const lines = stdout.trim().split('\n');
  expect(lines[0]).toMatch(/^applied {2}20261120235925_initial {2}\d{4}-\d\d-\d\dT/);
  const migrations = lines.filter((line) => !line.startsWith('backfill'));
  expect(migrations.slice(-2)).toEqual([
    'later    99990101000000_later',
    `pending  ${migrationNames().at(-1)}`,
  ]);
  expect(await dumpTables(other.url)).toEqual(before);
  await other.drop();
});

test('migrate --status says how far each backfill is, also before its migration', async () => {
  const other = await createTestDatabase();
  const status = async () => {
    const { stdout } = await runFormgate(['migrate', '--status'], { ...env, DATABASE_URL: other.url })
      .finished;
    return stdout.split('\n').filter((line) => line.startsWith('backfill'));
  };
  const untouched = [
    'backfill visit_addresses: not begun; a worker carries it out',
    'backfill attribution_referrers: not begun; a worker carries it out',
    'backfill form_versions: not begun; a worker carries it out',
    'backfill time_zones: not begun; a worker carries it out',
    'backfill daily_counts: not begun; a worker carries it out',
    'backfill daily_spam: not begun; a worker carries it out',
  ];
  expect(await status()).toEqual(untouched);
  await other.db.orm.backfill.createMany({
    data: [
      { name: 'visit_addresses', cursor: 'x', remaining: 1_234 },
      { name: 'attribution_referrers', passes: 1, startedAt: new Date('2026-11-24T10:00:00Z') },
    ],
  });
  expect(await status()).toEqual([
    'backfill visit_addresses: pass 1 of 2, about 1234 rows left',
    'backfill attribution_referrers: pass 1 of 2 done; the next one, for rows of the version before, begins at 2026-11-25T10:00:00.000Z',
    'backfill form_versions: not begun; a worker carries it out',
    'backfill time_zones: not begun; a worker carries it out',
    'backfill daily_counts: not begun; a worker carries it out',
    'backfill daily_spam: not begun; a worker carries it out',
  ]);
  await other.db.orm.backfill.updateMany({ data: { passes: 2, doneAt: new Date('2026-11-25T10:00:01Z') } });
  expect(await status()).toContain('backfill visit_addresses: done at 2026-11-25T10:00:01.000Z');
  await other.db.orm.$executeRaw`DROP TABLE backfills`;
  expect(await status()).toEqual(untouched);
  await other.drop();
});

test('migrate prints on stderr what each migration locks, and on stdout what it applied', async () => {
  const { url } = await createEmptyDatabase();
  const { code, stdout, stderr } = await runFormgate(['migrate'], { ...env, DATABASE_URL: url }).finished;
  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toEqual(migrationNames().map((name) => `Applied ${name}`));
  expect(stderr).toContain('20261120235925_initial locks no table that exists\n');
  expect(stderr).toMatch(
    /^20261121010124_directory_version locks teams in ACCESS EXCLUSIVE \(reads and writes wait\) .+$/m,
  );
});

/**
 * A database that Formgate's role does not own, and whose schema `public` is closed, as a careful administrator makes
 * it. @returns its address for the role, the role's name, and what runs statements as the administrator.
 */
async function createClosedDatabase() {
  const { url } = await createEmptyDatabase();
  const role = new URL(url).pathname.slice(1).replace('test_', 'role_');
  const own = new URL(url);
  Object.assign(own, { username: role, password: 'secret' });
  const administer = async (statements: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(statements);
    await client.end();
  };
  await administer(`
    CREATE ROLE ${role} LOGIN PASSWORD 'secret';
    GRANT ALL ON DATABASE ${own.pathname.slice(1)} TO ${role};
    REVOKE ALL ON SCHEMA public FROM PUBLIC`);
  return { url: own.href, role, administer };
}

describe('a role that works in another schema than public is refused with what to set', () => {
  let closed: Awaited<ReturnType<typeof createClosedDatabase>>;
  let advice: string;

  beforeAll(async () => {
    closed = await createClosedDatabase();
    const { url, role, administer } = closed;
    await administer(`CREATE SCHEMA ${role} AUTHORIZATION ${role}`);
    advice = `ALTER ROLE ${role} IN DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public; GRANT USAGE, CREATE ON SCHEMA public TO ${role}`;
  });

  const run = (...args: string[]) => runFormgate(args, { ...env, DATABASE_URL: closed.url }).finished;
  const sentence = () =>
    `PostgreSQL's role ${closed.role} works in the schema "${closed.role}", and Formgate needs "public": ${advice}.`;

  test.each([
    'migrate',
    'migrate --status',
    'gateway',
    'worker',
    'token create --team lumen --user ada@lumen.example --name ci',
    'notifications list',
  ])('by %s', async (command) => {
    const refused = { code: 1, stdout: '', stderr: `${sentence()}\n` };
    expect(await run(...command.split(' '))).toEqual(refused);
  });

  test('by doctor', async () => {
    const { code, stdout } = await run('doctor');
    expect(code).toBe(1);
    expect(stdout.split('\n').find((line) => line.startsWith('schema'))).toMatch(
      new RegExp(`^schema +FAILED +refused\\. ${sentence()}$`),
    );
    expect(stdout).toMatch(/^app key +SKIPPED/m);
  });

  test('where the address names the schema, which outdoes the role', async () => {
    const url = new URL(closed.url);
    url.searchParams.set('options', `-csearch_path=${closed.role}`);
    const { stderr } = await runFormgate(['migrate'], { ...env, DATABASE_URL: url.href }).finished;
    expect(stderr).toMatch(/: leave search_path out of the options in the address\.\n$/);
  });

  test('and works once that is set', async () => {
    await closed.administer(advice);
    expect(await run('migrate')).toMatchObject({ code: 0 });
    expect(await run('migrate')).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' });
  });
});

test('a role that may use no schema is refused with what to set', async () => {
  const { url, role } = await createClosedDatabase();
  const { code, stderr } = await runFormgate(['migrate'], { ...env, DATABASE_URL: url }).finished;
  expect(code).toBe(1);
  expect(stderr).toContain(
    `PostgreSQL's role ${role} works in no schema, and Formgate needs "public": ALTER ROLE`,
  );
});

test('all faulty variables are named at once', async () => {
  const { code, stdout, stderr } = await runFormgate(['gateway'], {
    DATABASE_URL: 'mysql://x',
    PORT: 'many',
    APP_KEY: 'short',
    PLATFORM_LOCALES: 'FR;EN',
  }).finished;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  for (const name of [
    'DATABASE_URL',
    'PORT',
    'APP_KEY',
    'PLATFORM_LOCALES',
    'SMTP_URL',
    'MAIL_FROM',
    'PUBLIC_URL',
  ]) {
    expect(stderr).toMatch(new RegExp(`^  ${name} `, 'm'));
  }
});

test.each([
  ['notifications list', ['notifications', 'list']],
  ['retention --dry-run', ['retention', '--dry-run']],
])('%s refuses a database without migrations, or with too few, and writes nothing', async (_name, args) => {
  const { url } = await createEmptyDatabase();
  const read = () => runFormgate(args, { ...env, DATABASE_URL: url }).finished;
  const refused = (count: number) => ({
    code: 1,
    stdout: '',
    stderr: `The database lacks ${count} of ${migrationNames().length} migrations. Run formgate migrate.\n`,
  });
  expect(await read()).toEqual(refused(migrationNames().length));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`);
  await client.end();
  expect(rows).toEqual([]);

  const older = await createTestDatabase();
  await older.db.orm.$executeRaw`DELETE FROM _prisma_migrations
    WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`;
  const before = await dumpTables(older.url);
  const over = { ...env, DATABASE_URL: older.url };
  expect(await runFormgate(args, over).finished).toEqual(refused(1));
  expect(await dumpTables(older.url)).toEqual(before);
  await older.drop();
});

test('notifications list and retention --dry-run write nothing to a current database', async () => {
  const fresh = await createTestDatabase();
  const before = await dumpTables(fresh.url);
  for (const args of [
    ['notifications', 'list'],
    ['retention', '--dry-run'],
  ]) {
    const over = { ...env, DATABASE_URL: fresh.url };
    expect(await runFormgate(args, over).finished).toMatchObject({ code: 0, stderr: '' });
  }
  expect(await dumpTables(fresh.url)).toEqual(before);
  await fresh.drop();
});

test.each(['banana 2030', 'Dec 1 2030', '+099999-01-01T00:00:00Z', '2030-02-31'])(
  'an expiry of %s is refused',
  async (expiry) => {
    const args = ['--team', 'lumen', '--user', 'claire@lumen-paysage.test', '--name', 'x'];
    const { code, stdout } = await formgate('token', 'create', ...args, '--expires-at', expiry);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  },
);

test('another APP_KEY than the one the database was written under is refused', async () => {
  const other = { ...env, APP_KEY: Buffer.alloc(32, 2).toString('base64') };
  for (const command of ['gateway', 'worker', 'migrate']) {
    expect(await runFormgate([command], other).finished).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^APP_KEY is not the key .*\n$/),
    });
  }
});

test.each([
  [
    'a database that does not exist',
    (url: URL) => {
      url.pathname = '/no_such';
    },
  ],
  [
    'a wrong password',
    (url: URL) => {
      url.password = 'wrong';
    },
  ],
])('%s prints one message', async (_case, change) => {
  const url = new URL(database.url);
  change(url);
  const { code, stderr } = await runFormgate(['gateway'], { ...env, DATABASE_URL: url.href }).finished;
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^PostgreSQL at .* refuses: .*\n$/),
  });
});

test('a database that is read-only, or full in the middle of a command, prints one message', async () => {
  const create = (databaseUrl: string) =>
    runFormgate(['user', 'create', '--email', 'late@a.test', '--name', 'Late'], {
      ...env,
      DATABASE_URL: databaseUrl,
    }).finished;
  const says = (message: RegExp) => ({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
  // As the former primary of a failover.
  expect(await create(`${database.url}&options=-c%20default_transaction_read_only%3Don`)).toEqual(
    says(/^PostgreSQL at \S+ cannot be used: cannot execute [A-Z ]+ in a read-only transaction\n$/),
  );
  const { orm } = database.db;
  await orm.$executeRaw`
    CREATE FUNCTION fail_as_full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`;
  await orm.$executeRaw`
    CREATE TRIGGER full_disk BEFORE INSERT ON users EXECUTE FUNCTION fail_as_full()`;
  expect(await create(database.url)).toEqual(
    says(/^PostgreSQL at \S+ cannot be used: could not extend file\n$/),
  );
  await orm.$executeRaw`DROP FUNCTION fail_as_full CASCADE`;
});

test('an unreachable database prints one message', async () => {
  const unreachable = { ...env, DATABASE_URL: 'postgres://formgate:hunter2@127.0.0.1:1/formgate' };
  for (const command of ['gateway', 'worker', 'migrate']) {
    const { code, stderr } = await runFormgate([command], unreachable).finished;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^PostgreSQL at 127\.0\.0\.1:1\/formgate is unreachable: .*\n$/),
    });
    expect(stderr).not.toContain('hunter2');
  }
});

test.each([
  ['that offers no TLS', '?sslmode=verify-full', 'SSL'],
  ['whose sslrootcert is missing', '?sslmode=verify-full&sslrootcert=/no/such.pem', '/no/such\\.pem'],
])('a database %s prints one message', async (_case, parameters, named) => {
  for (const command of [['gateway'], ['notifications', 'list']]) {
    const url = `${database.url}${parameters}`;
    const { code, stderr } = await runFormgate(command, { ...env, DATABASE_URL: url }).finished;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^PostgreSQL at .* cannot be used: .*${named}.*\n$`)),
    });
  }
});

test('a command whose reader has gone ends its work quietly', async () => {
  const { child, finished } = runFormgate(['migrate', '--status'], env);
  child.stdout!.destroy();
  expect(await finished).toMatchObject({ code: 0, stderr: '' });
});

test.each(['gateway', 'worker'])('%s stops though the reader of its log has gone', async (command) => {
  const { child, printed, finished } = runFormgate([command], { ...env, LOG_LEVEL: 'info', PORT: '0' });
  await printed(/Gateway listens|Worker runs/);
  const isGone = once(child.stderr!, 'close');
  child.stderr!.destroy();
  await isGone;
  child.kill('SIGTERM');
  const killing = setTimeout(() => child.kill('SIGKILL'), 15_000);
  expect(await finished).toMatchObject({ code: 0 });
  clearTimeout(killing);
});

describeWithRedis('with a Redis', () => {
  test.each(['gateway', 'worker'])(
    '%s does not start on a database that Redis does not have',
    async (command) => {
      const redis = await startRedisServer();
      const over = { ...env, REDIS_URL: `${redis.url}/99`, PORT: '0' };
      expect(await runFormgate([command], over).finished).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^REDIS_URL names a database that Redis does not have: .*\n$/),
      });
      await redis.stop();
    },
  );
});
