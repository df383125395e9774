import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { totpCode } from '../../src/auth/second-factor/totp.js';
import { commandEnv, startTestApp, type TestApp } from '../support/app.js';
import { runFormgate } from '../support/formgate.js';
import { createAccount, loggedIn, panelClient } from '../support/panel.js';

let app: TestApp;
let env: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp();
  env = commandEnv(app);
});
afterAll(() => app.close());

const formgate = (...args: string[]) => runFormgate(args, env).finished;

const auditOf = async (action: string) =>
  app.services.db.orm.auditEvent.findMany({ where: { action }, orderBy: { id: 'asc' } });

test('user reset prints a new password once, and ends the sessions of the account', async () => {
  const id = await createAccount(app.services, { email: 'nina@agency.test', password: 'correct horse' });
  const client = await loggedIn(app.url, app.services, 'nina@agency.test');
  expect(await client.ask('{ me { email } }')).toEqual({ me: { email: 'nina@agency.test' } });

  const { code, stdout, stderr } = await formgate('user', 'reset', 'Nina@Agency.test');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^[\w-]{20}\n$/);
  expect((await client.send('{ me { email } }')).data).toEqual({ me: null });

  const login =
    'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }';
  const account = { email: 'nina@agency.test' };
  const newcomer = panelClient(app.url);
  await newcomer.refused(login, { ...account, password: 'correct horse' });
  await newcomer.ask(login, { ...account, password: stdout.trim() });
  expect(await auditOf('user.password_reset')).toMatchObject([
    { channel: 'command_line', actorId: null, subjectType: 'user', subjectId: String(id) },
  ]);
});

test('user reset refuses a disabled account, says what to do and changes nothing', async () => {
  const email = 'left@agency.test';
  const id = await createAccount(app.services, { email, password: 'correct horse' });
  const { orm } = app.services.db;
  const before = await orm.user.update({ where: { id }, data: { disabledAt: new Date() } });
  for (const options of [[], ['--second-factor']]) {
    const { code, stdout, stderr } = await formgate('user', 'reset', email, ...options);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `The account ${email} is disabled, so no password lets it in. Staff enable it in the panel, under People; reset it then.\n`,
    );
  }
  expect(await orm.user.findUniqueOrThrow({ where: { id } })).toEqual(before);
});

test('user reset --second-factor also takes a lost authenticator app away, and without it the app stays', async () => {
  const email = 'lost@agency.test';
  const id = await createAccount(app.services, { email, password: 'correct horse' });
  const client = await loggedIn(app.url, app.services, email);
  const start = 'mutation { startSecondFactor(password: "correct horse") { secret } }';
  const { secret } = (await client.ask(start)).startSecondFactor;
  const code = totpCode(secret, new Date());
  await client.ask('mutation ($code: String!) { confirmSecondFactor(code: $code) }', { code });

  const login =
    'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }';
  const isLoggedIn = async (password: string) =>
    (await panelClient(app.url).ask(login, { email, password })).login;
  const kept = await formgate('user', 'reset', email);
  expect(await isLoggedIn(kept.stdout.trim())).toBe(false);

  const { code: exit, stdout, stderr } = await formgate('user', 'reset', email, '--second-factor');
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(stdout).toMatch(/^[\w-]{20}\n$/);
  expect(await isLoggedIn(stdout.trim())).toBe(true);
  expect(await app.services.db.orm.secondFactor.count({ where: { userId: id } })).toBe(0);
  expect(await auditOf('user.second_factor_reset')).toMatchObject([
    { channel: 'command_line', actorId: null, subjectType: 'user', subjectId: String(id) },
  ]);
});
