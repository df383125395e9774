import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hashPassword } from '../../src/auth/passwords.js';
import { reconcile } from '../../src/notifications/reconcile.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { dumpTables } from '../support/database.js';
import { provision, team } from '../support/factories.js';
import { isWaitingForLock } from '../support/locks.js';
import {
  createAccount,
  loggedIn,
  type PanelClient,
  type PanelData,
  type PanelError,
  panelClient,
} from '../support/panel.js';
import { eventually } from '../support/wait.js';

const INVITE = `mutation ($teamId: ID!, $input: InviteMemberInput!) {
  inviteMember(teamId: $teamId, input: $input) { role email name }
}`;
const ACCEPT =
  'mutation ($token: String!, $password: String!) { acceptInvitation(token: $token, password: $password) }';
const REQUEST = 'mutation ($email: String!) { requestPasswordReset(email: $email) }';
const RESET =
  'mutation ($token: String!, $password: String!) { resetPassword(token: $token, password: $password) }';
const FOLLOW = 'query ($token: String!) { followedReset(token: $token) }';
const LOGIN = 'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }';
const PASSWORD = 'battery staple';

let app: TestApp;
let owner: PanelClient;
let teamId: number;
let aheadMs = 0;
beforeAll(async () => {
  app = await startTestApp({
    worker: true,
    env: { TRUST_PROXY: 'loopback' },
    clock: () => new Date(Date.now() + aheadMs),
  });
  const english = team('acme');
  await provision(app.services, [english]);
  await app.services.db.orm.website.updateMany({ data: { locale: 'en' } });
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
});
afterAll(() => app.close());

const invite = (email: string, role = 'member', name = 'Newcomer') =>
  owner.ask(INVITE, { teamId, input: { email, name, role } });

/** Asks for a new password, or to log in, from an IP address, as the proxy tells it. */
async function askFrom(ip: string, email: string, query = REQUEST) {
  const response = await panelClient(app.url).fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify({ query, variables: { email, password: PASSWORD } }),
  });
  return (await response.json()) as { data: PanelData; errors?: PanelError[] };
}

/** The link in the latest message to an address, once there are so many. */
async function linkTo(
  email: string,
  messages = 1,
): Promise<{ address: string; token: string; text: string }> {
  // As the worker does every two seconds.
  await reconcile(app.services);
  const mine = await eventually(() => {
    const found = app.sink.messages.filter(({ recipients }) => recipients.includes(email));
    return found.length >= messages && found;
  });
  const text = mine.at(-1)!.mail.text!;
  const address = /http\S+/.exec(text)![0];
  return { address, token: address.split('#')[1]!, text: `${mine.at(-1)!.mail.subject}\n${text}` };
}

/** The sessions of an account of which the audit trail tells that they were opened. */
const sessionsOpened = (email: string) =>
  app.services.db.orm.$queryRaw`
    SELECT actor_id = u.id AS "isOwn", channel::text, ip IS NOT NULL AS "hasIp" FROM audit_events
      JOIN users u ON u.id::text = subject_id
     WHERE subject_type = 'user' AND action = 'session.opened' AND u.email = ${email}`;

const OWN = { isOwn: true, channel: 'panel', hasIp: true };

describe('an invitation', () => {
  test('reaches a new account by e-mail, and opens it with a password once', async () => {
    const { inviteMember } = await invite('Fresh@Elsewhere.test', 'admin', 'Fran');
    expect(inviteMember).toEqual({ role: 'admin', email: 'fresh@elsewhere.test', name: 'Fran' });
    const { address, token, text } = await linkTo('fresh@elsewhere.test');
    expect(address).toMatch(/^http:\/\/formgate\.test\/panel\/invitation#/);
    expect(text).toMatch(/^Invitation to join acme\nYou are invited to join acme\./);
    expect(text).toContain('This invitation comes from owner@acme.test.');

    const client = panelClient(app.url);
    const short = await client.send(ACCEPT, { token, password: 'too short' });
    expect(short.errors?.[0]?.extensions.errors).toEqual({ password: ['must have 12 to 200 characters'] });
    await client.ask(ACCEPT, { token, password: PASSWORD });
    expect(await client.ask('{ me { name teams { role team { slug } } } }')).toEqual({
      me: { name: 'Fran', teams: [{ role: 'admin', team: { slug: 'acme' } }] },
    });
    expect(await sessionsOpened('fresh@elsewhere.test')).toEqual([OWN]);
    await panelClient(app.url).ask(LOGIN, { email: 'fresh@elsewhere.test', password: PASSWORD });
    expect(await sessionsOpened('fresh@elsewhere.test')).toEqual([OWN, OWN]);
    const again = await panelClient(app.url).send(ACCEPT, { token, password: 'another password' });
    expect(again.errors?.[0]?.extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: { token: ['is not valid, or no longer'] },
    });
  });
});

describe('a forgotten password', () => {
  test('is replaced through a one-time link, which ends every session', async () => {
    await createAccount(app.services, { email: 'lost@elsewhere.test', password: 'forgotten password' });
    const before = await loggedIn(app.url, app.services, 'lost@elsewhere.test');
    await panelClient(app.url).ask(REQUEST, { email: 'Lost@elsewhere.test' });
    const { address, token, text } = await linkTo('lost@elsewhere.test');
    expect(address).toMatch(/^http:\/\/formgate\.test\/panel\/reset#/);
    expect(text).toMatch(/^Nouveau mot de passe\n/);

    expect(await panelClient(app.url).refused(ACCEPT, { token, password: PASSWORD })).toBe('BAD_USER_INPUT');
    const client = panelClient(app.url);
    expect((await client.ask(FOLLOW, { token })).followedReset).toBe('lost@elsewhere.test');
    await client.ask(RESET, { token, password: PASSWORD });
    expect(await client.refused(FOLLOW, { token })).toBe('BAD_USER_INPUT');
    expect((await client.ask('{ me { email } }')).me).toEqual({ email: 'lost@elsewhere.test' });
    expect((await before.ask('{ me { email } }')).me).toBeNull();
    expect(await sessionsOpened('lost@elsewhere.test')).toEqual([OWN]);
    await panelClient(app.url).ask(LOGIN, { email: 'lost@elsewhere.test', password: PASSWORD });
  });

  test('is told by its own link alone, and by no other token', async () => {
    await invite('invited@elsewhere.test');
    const { token } = await linkTo('invited@elsewhere.test');
    for (const wrong of [token, '', 'gone', `${token}x`, `${crypto.randomUUID()}.${'A'.repeat(43)}`]) {
      expect(await panelClient(app.url).refused(FOLLOW, { token: wrong })).toBe('BAD_USER_INPUT');
    }
  });

  test('answers true for any address, and sends nothing to an account that cannot log in', async () => {
    await createAccount(app.services, { email: 'mute@elsewhere.test' });
    for (const email of ['mute@elsewhere.test', 'unknown@elsewhere.test', 'no address', 'a\0@b.test']) {
      expect(await panelClient(app.url).ask(REQUEST, { email })).toEqual({ requestPasswordReset: true });
    }
    await app.services.credentials.settled();
    expect(await app.services.db.orm.oneTimeLink.count({ where: { purpose: 'password_reset' } })).toBe(0);
  });

  test('is in the language of the account, else of the page', async () => {
    const inFrench = 'mutation ($email: String!) { requestPasswordReset(email: $email, language: fr) }';
    const [unset, chosen] = ['unset@elsewhere.test', 'chosen@elsewhere.test'];
    for (const email of [unset, chosen]) {
      await createAccount(app.services, { email, password: 'forgotten password' });
    }
    await app.services.db.orm.user.update({ where: { email: chosen }, data: { language: 'en' } });
    for (const email of [unset, chosen]) await panelClient(app.url).ask(inFrench, { email });
    await app.services.credentials.settled();
    expect((await linkTo(unset)).text).toMatch(/^Nouveau mot de passe\n/);
    expect((await linkTo(chosen)).text).not.toMatch(/^Nouveau mot de passe\n/);
    await app.services.db.orm.user.update({ where: { email: chosen }, data: { language: 'fr' } });
    await invite(chosen);
    expect((await linkTo(chosen, 2)).text).toMatch(/^Invitation à rejoindre /);
  });

  test('can be requested five times an hour from an IP address', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => askFrom('198.51.100.1', 'flood@elsewhere.test')),
    );
    expect(answers.filter(({ errors }) => errors?.[0]?.extensions.code === 'RATE_LIMITED')).toHaveLength(1);
  });

  test('can be requested by the owner after any number of requests from other IP addresses', async () => {
    const { db, credentials } = app.services;
    await createAccount(app.services, { email: 'target@elsewhere.test', password: 'forgotten password' });
    for (let n = 1; n <= 7; n += 1) await askFrom('198.51.100.2', 'target@elsewhere.test');
    expect(await askFrom('198.51.100.2', 'target@elsewhere.test')).toHaveProperty('errors');
    expect(await askFrom('198.51.100.3', 'target@elsewhere.test')).toEqual({
      data: { requestPasswordReset: true },
    });
    await credentials.settled();
    expect(await db.orm.oneTimeLink.count({ where: { user: { email: 'target@elsewhere.test' } } })).toBe(1);
    const { token } = await linkTo('target@elsewhere.test');
    await panelClient(app.url).ask(RESET, { token, password: PASSWORD });
  });

  test('sends one link for concurrent requests', async () => {
    const { db, credentials } = app.services;
    await createAccount(app.services, { email: 'crowd@elsewhere.test', password: 'forgotten password' });
    const asked = Array.from({ length: 20 }, (_, n) => askFrom(`203.0.113.${n}`, 'crowd@elsewhere.test'));
    for (const answer of await Promise.all(asked)) {
      expect(answer).toEqual({ data: { requestPasswordReset: true } });
    }
    await credentials.settled();
    const user = await db.orm.user.findUniqueOrThrow({ where: { email: 'crowd@elsewhere.test' } });
    expect(await db.orm.oneTimeLink.count({ where: { userId: user.id } })).toBe(1);
    const event = { action: 'user.password_reset_requested', subjectId: String(user.id) };
    expect(await db.orm.auditEvent.count({ where: event })).toBe(1);
  });

  test('sends another link at once when the first e-mail has failed', async () => {
    const { db, credentials } = app.services;
    const email = 'bounced@elsewhere.test';
    const userId = await createAccount(app.services, { email, password: 'forgotten password' });
    const expiresAt = new Date(Date.now() + 3_600_000);
    const state = { state: 'failed', purpose: 'password_reset' } as const;
    await db.orm.oneTimeLink.create({ data: { ...state, userId, expiresAt } });
    await askFrom('198.51.100.5', email);
    await credentials.settled();
    expect(await db.orm.oneTimeLink.count({ where: { userId } })).toBe(2);
  });

  test('and a login do not count for the account once the IP address is over its limit', async () => {
    const { limiter } = app.services;
    const ip = '198.51.100.6';
    const mine = { limit: 'login-address', key: ip } as const;
    while ((await limiter.peek(mine)).passes) await limiter.consume(mine);
    const email = 'made-up@elsewhere.test';
    expect((await askFrom(ip, email)).errors?.[0]?.extensions.code).toBe('RATE_LIMITED');
    const login = await askFrom(ip, email, LOGIN);
    expect(login.errors?.[0]?.extensions.code).toBe('RATE_LIMITED');
    const remaining = async (limit: 'login' | 'password-reset') =>
      (await limiter.peek({ limit, key: `${email} ${ip}` })).remaining;
    expect([await remaining('password-reset'), await remaining('login')]).toEqual([4, 9]);
  });

  test('sends another link after a quarter of an hour, and the first stays valid', async () => {
    const { credentials } = app.services;
    await createAccount(app.services, { email: 'later@elsewhere.test', password: 'forgotten password' });
    await askFrom('198.51.100.4', 'later@elsewhere.test');
    const first = await linkTo('later@elsewhere.test');
    aheadMs = 15 * 60_000 + 1;
    try {
      await askFrom('198.51.100.4', 'later@elsewhere.test');
      await credentials.settled();
      const second = await linkTo('later@elsewhere.test', 2);
      expect(second.token).not.toBe(first.token);
      await panelClient(app.url).ask(RESET, { token: first.token, password: PASSWORD });
      const again = { token: second.token, password: PASSWORD };
      expect(await panelClient(app.url).refused(RESET, again)).toBe('BAD_USER_INPUT');
    } finally {
      aheadMs = 0;
    }
  });
});

describe('another address of an account', () => {
  const ASK = `mutation ($email: String!, $password: String!) {
    requestEmailChange(email: $email, password: $password)
  }`;
  const CONFIRM = 'mutation ($token: String!) { confirmEmailChange(token: $token) }';
  const FOLLOW_CHANGE = 'query ($token: String!) { followedEmailChange(token: $token) }';

  /** An account that has asked for another address. */
  async function asking(from: string, to: string): Promise<PanelClient> {
    await createAccount(app.services, { email: from, password: PASSWORD });
    const client = await loggedIn(app.url, app.services, from);
    expect(await client.ask(ASK, { email: to, password: PASSWORD })).toEqual({ requestEmailChange: true });
    return client;
  }

  test('is the login name once the link sent to it is followed, once', async () => {
    const client = await asking('before@elsewhere.test', 'After@Elsewhere.test');
    const { address, token, text } = await linkTo('after@elsewhere.test');
    expect(address).toMatch(/^http:\/\/formgate\.test\/panel\/email#/);
    expect(text).toMatch(/^Confirmez votre nouvelle adresse e-mail\n/);
    expect((await client.ask('{ me { email } }')).me.email).toBe('before@elsewhere.test');
    const followed = await panelClient(app.url).ask(FOLLOW_CHANGE, { token });
    expect(followed).toEqual({ followedEmailChange: 'after@elsewhere.test' });

    const confirmations = [CONFIRM, CONFIRM].map((query) => panelClient(app.url).send(query, { token }));
    const errors = (await Promise.all(confirmations)).flatMap((answer) => answer.errors ?? []);
    expect(errors.map(({ extensions }) => extensions.errors)).toEqual([
      { token: ['is not valid, or no longer'] },
    ]);
    expect((await client.ask('{ me { email } }')).me.email).toBe('after@elsewhere.test');
    expect(await panelClient(app.url).refused(FOLLOW_CHANGE, { token })).toBe('BAD_USER_INPUT');
    const login = { email: 'before@elsewhere.test', password: PASSWORD };
    expect(await panelClient(app.url).refused(LOGIN, login)).toBe('UNAUTHENTICATED');
    await panelClient(app.url).ask(LOGIN, { ...login, email: 'after@elsewhere.test' });
  });

  test('is told to the address before it, once and without a link', async () => {
    await asking('former@elsewhere.test', 'latter@elsewhere.test');
    const { token } = await linkTo('latter@elsewhere.test');
    await Promise.all([CONFIRM, CONFIRM].map((query) => panelClient(app.url).send(query, { token })));
    await reconcile(app.services);
    const toFormer = () =>
      app.sink.messages.filter(({ recipients }) => recipients[0] === 'former@elsewhere.test');
    const { mail } = await eventually(() => toFormer()[0]);
    expect(mail.subject).toBe('Votre adresse de connexion a changé');
    for (const content of [mail.text, mail.html]) {
      expect(content).toContain('connecter à formgate.test avec');
      expect(content).toContain('prévenez immédiatement l’agence');
      expect(content).not.toMatch(/http|latter@|ignorez/);
    }
    await linkTo('latter@elsewhere.test');
    expect(toFormer()).toHaveLength(1);
  });

  test('is asked for with the password of the account', async () => {
    await createAccount(app.services, { email: 'careful@elsewhere.test', password: PASSWORD });
    const client = await loggedIn(app.url, app.services, 'careful@elsewhere.test');
    const answer = await client.send(ASK, { email: 'thief@elsewhere.test', password: 'a guess of it' });
    expect(answer.errors?.[0]?.extensions.errors).toEqual({ password: ['is wrong'] });
    expect(await app.services.db.orm.oneTimeLink.count({ where: { email: 'thief@elsewhere.test' } })).toBe(0);
  });

  test('is told by its own link alone', async () => {
    await createAccount(app.services, { email: 'lost-too@elsewhere.test', password: PASSWORD });
    await panelClient(app.url).ask(REQUEST, { email: 'lost-too@elsewhere.test' });
    const { token } = await linkTo('lost-too@elsewhere.test');
    for (const wrong of [token, '', 'gone', `${crypto.randomUUID()}.${'A'.repeat(43)}`]) {
      expect(await panelClient(app.url).refused(FOLLOW_CHANGE, { token: wrong })).toBe('BAD_USER_INPUT');
    }
  });

  test('is refused when it is the one that the account has, and sends nothing', async () => {
    const id = await createAccount(app.services, { email: 'same@elsewhere.test', password: PASSWORD });
    const client = await loggedIn(app.url, app.services, 'same@elsewhere.test');
    const answer = await client.send(ASK, { email: 'Same@Elsewhere.test', password: PASSWORD });
    expect(answer.errors?.[0]?.extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: { email: ['is the address of this account already'] },
    });
    expect(await app.services.db.orm.oneTimeLink.count({ where: { userId: id } })).toBe(0);
  });

  test('is refused when the password changes while it is asked for', async () => {
    const { orm } = app.services.db;
    const id = await createAccount(app.services, { email: 'robbed@elsewhere.test', password: PASSWORD });
    const thief = await loggedIn(app.url, app.services, 'robbed@elsewhere.test');
    const passwordHash = await hashPassword('another password');
    let answer: ReturnType<PanelClient['send']> | undefined;
    await orm.$transaction(async (tx) => {
      await tx.user.update({ where: { id }, data: { passwordHash } });
      answer = thief.send(ASK, { email: 'thief@elsewhere.test', password: PASSWORD });
      await eventually(() => isWaitingForLock(app.services, '%FROM users%FOR%'));
    });
    const errors = (await answer)?.errors;
    expect(errors?.[0]?.extensions.errors).toEqual({ password: ['is wrong'] });
    expect(await orm.oneTimeLink.count({ where: { userId: id } })).toBe(0);
  });

  test('that has an account is told only by its link', async () => {
    await createAccount(app.services, { email: 'taken@elsewhere.test' });
    await asking('wishful@elsewhere.test', 'taken@elsewhere.test');
    const { token } = await linkTo('taken@elsewhere.test');
    expect(await panelClient(app.url).refused(CONFIRM, { token })).toBe('CONFLICT');
  });

  test('is requested by staff for another account, never for their own, and is confirmed by its link alone', async () => {
    const REQUEST_FOR =
      'mutation ($id: ID!, $email: String!) { requestUserEmailChange(id: $id, email: $email) }';
    const { orm } = app.services.db;
    const id = await createAccount(app.services, { email: 'moved@elsewhere.test', password: PASSWORD });
    const staffId = await createAccount(app.services, { email: 'staff@agency.test', staff: true });
    const staff = await loggedIn(app.url, app.services, 'staff@agency.test');
    await staff.ask(REQUEST_FOR, { id, email: 'Arrived@elsewhere.test' });
    const { token } = await linkTo('arrived@elsewhere.test');
    expect((await orm.user.findUniqueOrThrow({ where: { id } })).email).toBe('moved@elsewhere.test');
    await panelClient(app.url).ask(CONFIRM, { token });
    expect((await orm.user.findUniqueOrThrow({ where: { id } })).email).toBe('arrived@elsewhere.test');
    const events = await orm.auditEvent.findMany({
      where: { subjectType: 'user', subjectId: String(id), action: { startsWith: 'user.email_' } },
      orderBy: { createdAt: 'asc' },
    });
    expect(events.map(({ action, actorId, detail }) => [action, actorId, detail])).toEqual([
      ['user.email_change_requested', staffId, { email: 'arrived@elsewhere.test' }],
      ['user.email_changed', id, { email: 'arrived@elsewhere.test', former: 'moved@elsewhere.test' }],
    ]);
    expect(await staff.refused(REQUEST_FOR, { id: staffId, email: 'me@elsewhere.test' })).toBe('CONFLICT');
    expect(await staff.refused(REQUEST_FOR, { id: 999_999, email: 'me@elsewhere.test' })).toBe('NOT_FOUND');
  });

  test('asked for later ends the link for the one before, and ends reset links', async () => {
    const client = await asking('mover@elsewhere.test', 'first@elsewhere.test');
    const first = await linkTo('first@elsewhere.test');
    await client.ask(ASK, { email: 'second@elsewhere.test', password: PASSWORD });
    expect(await panelClient(app.url).refused(CONFIRM, { token: first.token })).toBe('BAD_USER_INPUT');
    await panelClient(app.url).ask(REQUEST, { email: 'mover@elsewhere.test' });
    const reset = await linkTo('mover@elsewhere.test');
    const second = await linkTo('second@elsewhere.test');
    await panelClient(app.url).ask(CONFIRM, { token: second.token });
    const again = { token: reset.token, password: PASSWORD };
    expect(await panelClient(app.url).refused(RESET, again)).toBe('BAD_USER_INPUT');
  });

  test.each([
    ['its password is reset by a link', 'reset'],
    ['its password is changed', 'change'],
    ['staff resets its password', 'resetUserPassword'],
    ['staff disables it', 'setUserDisabled'],
  ])('cannot be confirmed once %s, since the password may have been in other hands', async (_, way) => {
    const { db, credentials, accounts } = app.services;
    const email = `${way.toLowerCase()}@stolen.test`;
    const thief = await asking(email, `${way.toLowerCase()}@thief.test`);
    const { token } = await linkTo(`${way.toLowerCase()}@thief.test`);
    const { id } = await db.orm.user.findUniqueOrThrow({ where: { email } });
    const actor = { userId: null, channel: 'panel', ip: null } as const;
    if (way === 'reset') {
      await panelClient(app.url).ask(REQUEST, { email });
      await credentials.settled();
      const reset = await linkTo(email);
      await panelClient(app.url).ask(RESET, { token: reset.token, password: 'the password of the owner' });
    } else if (way === 'change') {
      const owner = await loggedIn(app.url, app.services, email);
      await owner.ask(
        'mutation ($current: String!, $new: String!) { changePassword(current: $current, new: $new) }',
        { current: PASSWORD, new: 'the password of the owner' },
      );
    } else if (way === 'resetUserPassword') await accounts.resetPassword(id, actor);
    else await accounts.setDisabled(id, true, actor);

    expect(await panelClient(app.url).refused(CONFIRM, { token })).toBe('BAD_USER_INPUT');
    expect(await db.orm.user.findUniqueOrThrow({ where: { id } })).toMatchObject({ email });
    expect((await thief.ask('{ me { email } }')).me).toBeNull();
  });

  test('is written to in the language that the account has chosen', async () => {
    const client = await asking('english@elsewhere.test', 'english-1@elsewhere.test');
    await client.ask('mutation { updateViewer(input: { language: en }) { language } }');
    await client.ask(ASK, { email: 'english-2@elsewhere.test', password: PASSWORD });
    expect((await linkTo('english-2@elsewhere.test')).text).toMatch(/^Confirm your new e-mail address\n/);
  });
});

describe('the token of a one-time link', () => {
  test.each([
    ['altered', (token: string) => `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`],
    ['for another link', (token: string) => `01939a60-5c00-7a10-8b20-6c1f3a5e0001${token.slice(36)}`],
    ['without a signature', (token: string) => token.slice(0, 36)],
    ['empty', () => ''],
    ['long', () => 'x'.repeat(100_000)],
  ])('that is %s is refused', async (name, alter) => {
    const email = `${name.replaceAll(' ', '-')}@tokens.test`;
    await invite(email);
    const { token } = await linkTo(email);
    const code = await panelClient(app.url).refused(ACCEPT, { token: alter(token), password: PASSWORD });
    expect(code).toBe('BAD_USER_INPUT');
  });

  test('is refused once expired, and then purged', async () => {
    const { db, oneTimeLinks } = app.services;
    await invite('late@elsewhere.test');
    const { token } = await linkTo('late@elsewhere.test');
    const where = { email: 'late@elsewhere.test' };
    const link = await db.orm.oneTimeLink.findFirstOrThrow({ where });
    expect(link.expiresAt.getTime() - link.createdAt.getTime()).toBe(7 * 24 * 3_600_000);
    await db.orm.oneTimeLink.updateMany({ where, data: { expiresAt: new Date() } });
    expect(await panelClient(app.url).refused(ACCEPT, { token, password: PASSWORD })).toBe('BAD_USER_INPUT');
    await oneTimeLinks.purge();
    expect(await db.orm.oneTimeLink.count({ where })).toBe(0);
  });

  test('is not in the database', async () => {
    await invite('secret@elsewhere.test');
    const { token } = await linkTo('secret@elsewhere.test');
    const dump = JSON.stringify(await dumpTables(app.database.url));
    const [id, signature] = token.split('.') as [string, string];
    expect(dump).toContain(id);
    expect(dump).not.toContain(signature);
    expect(dump).not.toContain(Buffer.from(signature, 'base64url').toString('hex'));
  });
});
