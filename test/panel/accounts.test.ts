import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { createAccount, loggedIn, type PanelError, panelClient } from '../support/panel.js';

const LOGIN = 'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }';
const CHANGE = 'mutation ($current: String!, $new: String!) { changePassword(current: $current, new: $new) }';
const PASSWORD = 'correct horse battery';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    env: { TRUST_PROXY: 'loopback' },
  });
  await createAccount(app.services, { email: 'olive@acme.test', password: PASSWORD });
  await createAccount(app.services, { email: 'nopass@acme.test' });
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
});
afterAll(() => app.close());

const olive = () => loggedIn(app.url, app.services, 'olive@acme.test');
const staff = () => loggedIn(app.url, app.services, 'staff@agency.test');

describe('the viewer', () => {
  const UPDATE =
    'mutation ($input: UpdateViewerInput!) { updateViewer(input: $input) { name language theme } }';
  const ME = '{ me { name language theme staff } }';

  test('changes name, language and colours, each alone, and takes a choice back with null', async () => {
    await createAccount(app.services, { email: 'chooser@acme.test' });
    const client = await loggedIn(app.url, app.services, 'chooser@acme.test');
    const before = { name: 'chooser@acme.test', language: null, theme: null };
    expect(await client.ask(ME)).toEqual({ me: { ...before, staff: false } });
    const named = await client.ask(UPDATE, { input: { name: 'Chloé Chooser' } });
    expect(named.updateViewer).toEqual({ ...before, name: 'Chloé Chooser' });
    const chosen = { name: 'Chloé Chooser', language: 'fr', theme: 'dark' };
    const updated = await client.ask(UPDATE, { input: { language: 'fr', theme: 'dark' } });
    expect(updated.updateViewer).toEqual(chosen);
    expect(await client.ask(ME)).toEqual({ me: { ...chosen, staff: false } });
    await client.ask(UPDATE, { input: { language: null } });
    expect(await client.ask(ME)).toEqual({ me: { ...chosen, language: null, staff: false } });
  });

  test.each([
    ['an empty name', { name: '' }, { 'input.name': ['must not be empty'] }],
    ['a name of spaces', { name: ' \u00a0 ' }, { 'input.name': ['must not be empty'] }],
    [
      'a name that cannot be stored',
      { name: 'a\0' },
      { 'input.name': ['holds a character that cannot be stored'] },
    ],
  ])('cannot choose %s', async (_what, input, errors) => {
    const answer = await (await olive()).send(UPDATE, { input });
    expect(answer.errors?.[0]?.extensions.errors).toEqual(errors);
  });

  test('has a name without the spaces that are sent around it', async () => {
    await createAccount(app.services, { email: 'spaced@acme.test' });
    const client = await loggedIn(app.url, app.services, 'spaced@acme.test');
    const { updateViewer } = await client.ask(UPDATE, { input: { name: '  Olive Owner ' } });
    expect(updateViewer.name).toBe('Olive Owner');
  });

  test('cannot choose a language that the panel does not speak, nor to be staff', async () => {
    const client = await olive();
    expect(await client.refused(UPDATE, { input: { language: 'nl' } })).toBe('BAD_USER_INPUT');
    expect(await client.refused(UPDATE, { input: { staff: true } })).toBe('BAD_USER_INPUT');
    expect((await client.ask(ME)).me.staff).toBe(false);
  });
});

describe('login', () => {
  test('sets a cookie out of reach of scripts and other websites, and logout ends it', async () => {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: LOGIN, variables: { email: ' Olive@ACME.test', password: PASSWORD } }),
    });
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^formgate=[\w-]{43}; Max-Age=1209600; Path=\/; .*HttpOnly; SameSite=Lax$/);
    const client = panelClient(app.url, cookie!.split(';')[0]);
    expect(await client.ask('{ me { email staff } }')).toEqual({
      me: { email: 'olive@acme.test', staff: false },
    });
    const before = client.cookie();
    await client.ask('mutation { logout }');
    expect(client.cookie()).toBe('formgate=');
    expect(await panelClient(app.url, before).ask('{ me { email } }')).toEqual({ me: null });
  });

  test('gives a wrong password, an unknown account and one without a password the same answer', async () => {
    const attempts = [
      ['olive@acme.test', 'wrong'],
      ['nobody@acme.test', PASSWORD],
      ['nopass@acme.test', PASSWORD],
      ['a\0b', PASSWORD],
    ];
    const answers = await Promise.all(
      attempts.map(([email, password]) => panelClient(app.url).send(LOGIN, { email, password })),
    );
    for (const answer of answers) {
      expect(answer).toEqual({
        data: null,
        errors: [
          {
            message: 'E-mail or password is wrong.',
            path: ['login'],
            locations: [{ line: 1, column: 50 }],
            extensions: { code: 'UNAUTHENTICATED' },
          },
        ],
      });
    }
  });

  test('is limited to ten attempts for an account and IP address, valid passwords included', async () => {
    await createAccount(app.services, { email: 'guessed@acme.test', password: PASSWORD });
    const guess = (password: string) =>
      panelClient(app.url).refused(LOGIN, { email: 'Guessed@acme.test', password });
    const codes = await Promise.all(Array.from({ length: 12 }, () => guess('wrong')));
    expect(codes.filter((code) => code === 'UNAUTHENTICATED')).toHaveLength(10);
    expect(await guess(PASSWORD)).toBe('RATE_LIMITED');
  });
});

describe('login from another IP address', () => {
  test('succeeds after any number of failures from other IP addresses', async () => {
    await createAccount(app.services, { email: 'besieged@acme.test', password: PASSWORD });
    const code = async (ip: string, password: string) => {
      const response = await panelClient(app.url).fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
        body: JSON.stringify({ query: LOGIN, variables: { email: 'besieged@acme.test', password } }),
      });
      return ((await response.json()) as { errors?: PanelError[] }).errors?.[0]?.extensions.code ?? 'ok';
    };
    const codes = await Promise.all(Array.from({ length: 12 }, () => code('198.51.100.1', 'wrong')));
    expect(codes).toContain('RATE_LIMITED');
    expect(await code('198.51.100.2', PASSWORD)).toBe('ok');
  });
});

describe('changing the password', () => {
  test('requires the current one, and ends every other session', async () => {
    await createAccount(app.services, { email: 'changing@acme.test', password: PASSWORD });
    const [client, other] = await Promise.all(
      [1, 2].map(() => loggedIn(app.url, app.services, 'changing@acme.test')),
    );
    const wrong = await client!.send(CHANGE, { current: 'wrong', new: 'battery staple' });
    expect(wrong.errors?.[0]?.extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: { current: ['is wrong'] },
    });
    await client!.ask(CHANGE, { current: PASSWORD, new: 'battery staple' });
    expect((await client!.ask('{ me { email } }')).me).not.toBeNull();
    expect((await other!.ask('{ me { email } }')).me).toBeNull();
    const login = (password: string) =>
      panelClient(app.url).send(LOGIN, { email: 'changing@acme.test', password });
    expect((await login(PASSWORD)).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    expect((await login('battery staple')).errors).toBeUndefined();
  });

  test.each([
    ['eleven characters', 'x'.repeat(11)],
    ['more than 200', 'x'.repeat(201)],
    ['six emoji, which are twelve code units', '🐴'.repeat(6)],
  ])('refuses %s', async (_name, wanted) => {
    const client = await olive();
    const { errors } = await client.send(CHANGE, { current: PASSWORD, new: wanted });
    expect(errors?.[0]?.extensions.errors).toEqual({ new: ['must have 12 to 200 characters'] });
  });

  test('counts for the limit of attempts at the account', async () => {
    await createAccount(app.services, { email: 'tried@acme.test', password: PASSWORD });
    const client = await loggedIn(app.url, app.services, 'tried@acme.test');
    const attempt = () => client.refused(CHANGE, { current: 'wrong', new: 'battery staple' });
    const codes = await Promise.all(Array.from({ length: 11 }, attempt));
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(1);
  });
});

describe('accounts, by staff', () => {
  const CREATE = `mutation ($input: CreateUserInput!) {
    createUser(input: $input) { password account { id email name staff canLogIn } }
  }`;

  test('are created with a password that is shown once', async () => {
    const client = await staff();
    const input = { email: 'New@Acme.test', name: 'Newcomer' };
    const { createUser } = await client.ask(CREATE, { input });
    expect(createUser.account).toMatchObject({ email: 'new@acme.test', staff: false, canLogIn: true });
    await panelClient(app.url).ask(LOGIN, { email: 'new@acme.test', password: createUser.password });
    expect(await client.refused(CREATE, { input })).toBe('CONFLICT');
  });

  test.each([
    ['email', { email: 'no address', name: 'N' }],
    ['email', { email: 'nul\0@acme.test', name: 'N' }],
    ['name', { email: 'a@acme.test', name: '' }],
    ['name', { email: 'a@acme.test', name: 'N\0' }],
  ])('are refused for a faulty %s', async (field, input) => {
    const { errors } = await (await staff()).send(CREATE, { input });
    expect(Object.keys(errors?.[0]?.extensions.errors ?? {})).toEqual([`input.${field}`]);
  });

  test('have names without the spaces that staff send around them', async () => {
    const client = await staff();
    const { createUser } = await client.ask(CREATE, { input: { email: 'wide@acme.test', name: ' Wide ' } });
    const { id } = await app.services.db.orm.user.findUniqueOrThrow({ where: { email: 'wide@acme.test' } });
    expect(createUser.account.name).toBe('Wide');
    const rename = 'mutation ($id: ID!) { updateUser(id: $id, input: { name: " Wider " }) { name } }';
    expect(await client.ask(rename, { id: String(id) })).toEqual({ updateUser: { name: 'Wider' } });
  });

  test('are listed page by page, forward and backward', async () => {
    const client = await staff();
    const PAGE = `query ($first: Int, $after: String, $last: Int, $before: String) {
      users(search: "paged", first: $first, after: $after, last: $last, before: $before) {
        edges { node { email } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }`;
    const emails = ['a', 'b', 'c'].map((letter) => `${letter}@paged.test`);
    for (const email of emails) await createAccount(app.services, { email });
    const found = async (variables: object) => {
      const { users } = await client.ask(PAGE, variables);
      const shown = users.edges.map(({ node }: { node: { email: string } }) => node.email);
      return { shown, ...users.pageInfo };
    };
    const first = await found({ first: 2 });
    expect(first).toMatchObject({ shown: emails.slice(0, 2), hasNextPage: true, hasPreviousPage: false });
    const second = await found({ first: 2, after: first.endCursor });
    expect(second).toMatchObject({ shown: emails.slice(2), hasNextPage: false, hasPreviousPage: true });
    const back = await found({ last: 2, before: second.startCursor });
    expect(back.shown).toEqual(emails.slice(0, 2));
  });

  test('can be renamed and made staff, except that staff cannot take away their own standing', async () => {
    const client = await staff();
    const UPDATE = `mutation ($id: ID!, $input: UpdateUserInput!) {
      updateUser(id: $id, input: $input) { name staff }
    }`;
    const id = await createAccount(app.services, { email: 'rising@acme.test' });
    expect(await client.ask(UPDATE, { id, input: { staff: true, name: 'Rising' } })).toEqual({
      updateUser: { name: 'Rising', staff: true },
    });
    const events = await app.services.db.orm.auditEvent.findMany({
      where: { action: 'user.updated', subjectId: String(id) },
    });
    expect(events.map(({ detail }) => detail)).toEqual([{ changed: ['name', 'staff'], staff: true }]);
    const { me } = await client.ask('{ me { userId } }');
    expect(await client.refused(UPDATE, { id: me.userId, input: { staff: false } })).toBe('CONFLICT');
    expect(await client.refused(UPDATE, { id: '999999', input: { name: 'X' } })).toBe('NOT_FOUND');
    expect(await client.refused(UPDATE, { id: '99999999999', input: { name: 'X' } })).toBe('NOT_FOUND');
  });

  test('can be given a new password, which ends their sessions', async () => {
    const id = await createAccount(app.services, { email: 'lost@acme.test', password: PASSWORD });
    const theirs = await loggedIn(app.url, app.services, 'lost@acme.test');
    const { resetUserPassword } = await (await staff()).ask(
      'mutation ($id: ID!) { resetUserPassword(id: $id) { password } }',
      { id },
    );
    expect((await theirs.ask('{ me { email } }')).me).toBeNull();
    await panelClient(app.url).ask(LOGIN, {
      email: 'lost@acme.test',
      password: resetUserPassword.password,
    });
  });

  test('cannot draw a new password for their own account, which would end their session', async () => {
    const client = await staff();
    const { me } = await client.ask('{ me { userId } }');
    const reset = 'mutation ($id: ID!) { resetUserPassword(id: $id) { password } }';
    expect(await client.refused(reset, { id: me.userId })).toBe('CONFLICT');
    expect((await client.ask('{ me { userId } }')).me).toEqual(me);
  });
});
