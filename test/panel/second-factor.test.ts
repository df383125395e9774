import { describe, expect, test } from '@jest/globals';
import { loggedIn, panelClient } from '../support/panel.js';
import {
  CONFIRM,
  CONFIRM_LOGIN,
  LOGIN,
  PASSWORD,
  REMOVE,
  START,
  STATE,
  STEP,
  secondFactorTest,
} from '../support/second-factor.js';

const RENEW = 'mutation ($code: String!) { renewRecoveryCodes(code: $code) }';
const { app, now, wait, codeOf, newAccount, enrolled, halfway, auditOf } = secondFactorTest();

describe('an authenticator app', () => {
  test('is set up with the password and a first code, and gives ten recovery codes once', async () => {
    const { email, userId } = await newAccount();
    const client = await loggedIn(app().url, app().services, email);
    expect(await client.refused(START, { password: 'a guess of it' })).toBe('BAD_USER_INPUT');
    expect(await client.refused(START)).toBe('BAD_USER_INPUT');
    const { secret, uri } = (await client.ask(START, { password: PASSWORD })).startSecondFactor;
    expect(uri).toContain(secret);
    expect(await client.refused(CONFIRM, { code: '000000' })).toBe('BAD_USER_INPUT');
    expect((await client.ask(STATE)).me.secondFactor.enabledAt).toBeNull();
    const { confirmSecondFactor: codes } = await client.ask(CONFIRM, { code: codeOf(secret) });
    expect(new Set(codes).size).toBe(10);
    expect((await client.ask(STATE)).me.secondFactor).toEqual({
      enabledAt: new Date(now()).toISOString(),
      recoveryCodesLeft: 10,
      required: false,
    });
    expect(await client.refused(START, { password: PASSWORD })).toBe('CONFLICT');
    expect(await auditOf(userId)).toEqual(['user.second_factor_enabled']);
  });

  test('protects nothing before its first code', async () => {
    const { email } = await newAccount();
    const client = await loggedIn(app().url, app().services, email);
    await client.ask(START, { password: PASSWORD });
    expect((await panelClient(app().url).ask(LOGIN, { email, password: PASSWORD })).login).toBe(true);
  });

  test('has a secret that the database holds encrypted, and recovery codes of which it holds hashes', async () => {
    const { userId, secret, codes } = await enrolled();
    const stored = await app().services.db.orm.secondFactor.findUniqueOrThrow({ where: { userId } });
    const text = Buffer.from(stored.secretCipher).toString('latin1');
    expect(text).not.toContain(secret);
    const rows = await app().services.db.orm.recoveryCode.findMany({ where: { userId } });
    expect(rows.map(({ codeHash }) => codeHash.length)).toEqual(Array(10).fill(32));
    expect(JSON.stringify(rows)).not.toContain(codes[0]);
  });
});

describe('a login with a second factor', () => {
  test('gives a cookie that opens nothing before the code', async () => {
    const { email, secret } = await enrolled();
    const client = await halfway(email);
    expect(client.cookie()).toMatch(/^formgate-login=[\w-]{43}$/);
    expect(await client.ask(STEP)).toEqual({ loginStep: 'CODE' });
    expect(await client.ask('{ me { email } }')).toEqual({ me: null });
    expect(await client.refused('{ sessions { id } }')).toBe('UNAUTHENTICATED');
    expect(await client.refused(START)).toBe('UNAUTHENTICATED');
    const asSession = client.cookie().replace('formgate-login', 'formgate');
    expect(await panelClient(app().url, asSession).ask('{ me { email } }')).toEqual({ me: null });
    expect((await client.ask(CONFIRM_LOGIN, { code: codeOf(secret) })).confirmLogin).toBe(true);
    expect((await client.ask('{ me { email } }')).me.email).toBe(email);
  });

  test('sets the challenge out of reach of scripts and other websites', async () => {
    const { email } = await enrolled();
    const response = await fetch(`${app().url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: LOGIN, variables: { email, password: PASSWORD } }),
    });
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^formgate-login=[\w-]{43}; Max-Age=900; Path=\/; .*HttpOnly; SameSite=Strict$/),
    ]);
  });

  test('accepts the code of a time step once, also when two browsers send it at once', async () => {
    const { email, secret } = await enrolled();
    const browsers = await Promise.all([1, 2, 3, 4].map(() => halfway(email)));
    const code = codeOf(secret);
    const answers = await Promise.all(browsers.map((client) => client.send(CONFIRM_LOGIN, { code })));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    expect(await (await halfway(email)).refused(CONFIRM_LOGIN, { code })).toBe('BAD_USER_INPUT');
  });

  test('refuses the code of a step before the one that was accepted', async () => {
    const { email, secret } = await enrolled();
    const earlier = codeOf(secret);
    wait(30_000);
    await (await halfway(email)).ask(CONFIRM_LOGIN, { code: codeOf(secret) });
    expect(await (await halfway(email)).refused(CONFIRM_LOGIN, { code: earlier })).toBe('BAD_USER_INPUT');
  });

  test('accepts each recovery code once, also when two browsers send it at once', async () => {
    const { email, client, codes } = await enrolled();
    const browsers = await Promise.all([1, 2, 3, 4].map(() => halfway(email)));
    const typed = codes[3]!.toUpperCase().replaceAll('-', ' ');
    const answers = await Promise.all(browsers.map((one) => one.send(CONFIRM_LOGIN, { code: typed })));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    expect((await client.ask(STATE)).me.secondFactor.recoveryCodesLeft).toBe(9);
  });

  test('uses a challenge once, and for a quarter of an hour', async () => {
    const { email, secret, codes } = await enrolled();
    const client = await halfway(email);
    const challenge = client.cookie();
    await client.ask(CONFIRM_LOGIN, { code: codeOf(secret) });
    const again = panelClient(app().url, challenge);
    expect(await again.ask(STEP)).toEqual({ loginStep: null });
    expect(await again.refused(CONFIRM_LOGIN, { code: codes[0] })).toBe('UNAUTHENTICATED');
    const late = await halfway(email);
    wait(901_000);
    expect(await late.refused(CONFIRM_LOGIN, { code: codes[0] })).toBe('UNAUTHENTICATED');
    await app().services.sessions.purge();
    expect(await app().services.db.orm.loginChallenge.count({ where: { user: { email } } })).toBe(0);
  });

  test('is over when the password changes in between', async () => {
    const { email, client, secret } = await enrolled();
    const waiting = await halfway(email);
    const change = 'mutation ($old: String!, $new: String!) { changePassword(current: $old, new: $new) }';
    await client.ask(change, { old: PASSWORD, new: 'battery staple horse' });
    expect(await waiting.refused(CONFIRM_LOGIN, { code: codeOf(secret) })).toBe('UNAUTHENTICATED');
  });

  test('is refused after ten codes in a quarter of an hour, wherever they come from', async () => {
    const { email, secret } = await enrolled();
    const client = await halfway(email);
    // The setup took one of the ten.
    for (let attempt = 0; attempt < 9; attempt += 1) {
      expect(await client.refused(CONFIRM_LOGIN, { code: '000000' })).toBe('BAD_USER_INPUT');
    }
    expect(await client.refused(CONFIRM_LOGIN, { code: codeOf(secret) })).toBe('RATE_LIMITED');
  });

  test('is recorded with what the code was', async () => {
    const { email, userId, secret, codes } = await enrolled();
    await (await halfway(email)).ask(CONFIRM_LOGIN, { code: codeOf(secret) });
    await (await halfway(email)).ask(CONFIRM_LOGIN, { code: codes[0] });
    const events = await app().services.db.orm.auditEvent.findMany({
      where: { action: 'session.opened', subjectId: String(userId) },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    expect(events.map(({ detail }) => detail)).toEqual([
      { secondFactor: 'totp' },
      { secondFactor: 'recovery_code' },
    ]);
  });
});

describe('no other way in goes around the second factor:', () => {
  test('a reset link sets the password and leads to the second step', async () => {
    const { email, userId, secret } = await enrolled();
    const { db, oneTimeLinks } = app().services;
    await db.orm.$transaction((tx) => oneTimeLinks.issueReset(tx, userId));
    const link = await db.orm.oneTimeLink.findFirstOrThrow({ where: { userId } });
    const token = oneTimeLinks.addressOf(link).split('#')[1];
    const client = panelClient(app().url);
    const reset = 'mutation ($token: String!) { resetPassword(token: $token, password: "battery staple") }';
    expect((await client.ask(reset, { token })).resetPassword).toBe(false);
    expect(await client.ask('{ me { email } }')).toEqual({ me: null });
    await client.ask(CONFIRM_LOGIN, { code: codeOf(secret) });
    expect((await client.ask('{ me { email } }')).me.email).toBe(email);
  });

  test('an invitation is not accepted by the password alone', async () => {
    const { email } = await enrolled();
    const { db, oneTimeLinks } = app().services;
    const { id } = await db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
    const owner = await loggedIn(app().url, app().services, 'owner@acme.test');
    await owner.ask(
      'mutation ($id: ID!, $input: InviteMemberInput!) { inviteMember(teamId: $id, input: $input) { id } }',
      { id, input: { email, name: 'A', role: 'member' } },
    );
    const link = await db.orm.oneTimeLink.findFirstOrThrow({ where: { purpose: 'invitation', email } });
    const token = oneTimeLinks.addressOf(link).split('#')[1];
    const client = panelClient(app().url);
    const accept =
      'mutation ($token: String!, $p: String!) { acceptInvitation(token: $token, password: $p) }';
    expect((await client.ask(accept, { token, p: PASSWORD })).acceptInvitation).toBe(false);
    expect(await client.ask(STEP)).toEqual({ loginStep: 'CODE' });
    expect(await db.orm.membership.count({ where: { user: { email } } })).toBe(0);
  });
});

describe('the owner of an account', () => {
  test('draws new recovery codes by a code, which ends those before', async () => {
    const { email, client, secret, codes } = await enrolled();
    expect(await client.refused(RENEW, { code: '000000' })).toBe('BAD_USER_INPUT');
    const { renewRecoveryCodes: renewed } = await client.ask(RENEW, { code: codeOf(secret) });
    const browser = await halfway(email);
    expect(await browser.refused(CONFIRM_LOGIN, { code: codes[0] })).toBe('BAD_USER_INPUT');
    expect((await browser.ask(CONFIRM_LOGIN, { code: renewed[0] })).confirmLogin).toBe(true);
  });

  test('renews its recovery codes twice at once, and ten are left', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { client, secret, codes } = await enrolled();
      const answers = await Promise.all(
        [codes[0], codeOf(secret)].map((code) => client.send(RENEW, { code })),
      );
      expect(answers.some(({ errors }) => !errors)).toBe(true);
      expect((await client.ask(STATE)).me.secondFactor.recoveryCodesLeft).toBe(10);
    }
  });

  test('removes the second factor by a code, and then logs in by the password alone', async () => {
    const { email, client, codes } = await enrolled();
    expect(await client.refused(REMOVE, { code: '000000' })).toBe('BAD_USER_INPUT');
    await client.ask(REMOVE, { code: codes[0] });
    expect((await panelClient(app().url).ask(LOGIN, { email, password: PASSWORD })).login).toBe(true);
    expect((await client.ask(STATE)).me.secondFactor).toMatchObject({ recoveryCodesLeft: 0 });
  });
});
