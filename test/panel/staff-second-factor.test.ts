import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAccount, loggedIn, type PanelClient, panelClient } from '../support/panel.js';
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

const REQUIRE = 'mutation ($required: Boolean!) { requireStaffSecondFactor(required: $required) }';
const { app, codeOf, newAccount, enrolled, halfway, auditOf } = secondFactorTest();

describe('where staff need a second factor', () => {
  let staff: PanelClient;
  beforeAll(async () => {
    await createAccount(app().services, { email: 'staff@agency.test', staff: true });
    staff = await loggedIn(app().url, app().services, 'staff@agency.test');
    expect((await staff.ask(REQUIRE, { required: true })).requireStaffSecondFactor).toBe(true);
    expect((await staff.ask('{ installation { staffSecondFactor } }')).installation).toEqual({
      staffSecondFactor: true,
    });
  });
  afterAll(() => staff.ask(REQUIRE, { required: false }));

  test('an account without one sets it up with its login, and is logged in by that', async () => {
    const { email } = await newAccount({ staff: true });
    const client = await halfway(email);
    expect(await client.ask(STEP)).toEqual({ loginStep: 'ENROLMENT' });
    expect(await client.refused(CONFIRM_LOGIN, { code: '000000' })).toBe('BAD_USER_INPUT');
    const { secret } = (await client.ask(START)).startSecondFactor;
    expect(await client.refused(CONFIRM, { code: '000000' })).toBe('BAD_USER_INPUT');
    expect(await client.ask('{ me { email } }')).toEqual({ me: null });
    expect((await client.ask(CONFIRM, { code: codeOf(secret) })).confirmSecondFactor).toHaveLength(10);
    expect((await client.ask(STATE)).me.secondFactor).toMatchObject({ required: true });
  });

  test('a login in a browser of another account ends that there, so that the second step is its own', async () => {
    const { email } = await newAccount({ staff: true });
    const other = await newAccount();
    const browser = await loggedIn(app().url, app().services, other.email);
    const [session] = browser.cookie().split('=');
    const answer = await browser.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: LOGIN, variables: { email, password: PASSWORD } }),
    });
    expect(answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0])).toEqual([
      `${session}=`,
      expect.stringContaining('formgate-login='),
    ]);
    expect((await browser.ask(START)).startSecondFactor.secret).toEqual(expect.any(String));
  });

  test('they cannot remove it', async () => {
    const { client, secret } = await enrolled({ staff: true });
    expect(await client.refused(REMOVE, { code: codeOf(secret) })).toBe('CONFLICT');
  });

  test('a client still logs in by the password alone', async () => {
    const { email } = await newAccount();
    expect((await panelClient(app().url).ask(LOGIN, { email, password: PASSWORD })).login).toBe(true);
  });

  test('the setting is in the audit trail', async () => {
    const { db } = app().services;
    const event = await db.orm.auditEvent.findFirstOrThrow({
      where: { action: 'installation.second_factor_set' },
    });
    expect(event.detail).toEqual({ required: true });
  });
});

test('staff take the second factor of another account away, which ends its sessions and is recorded', async () => {
  const { email, userId, client } = await enrolled();
  await createAccount(app().services, { email: 'helper@agency.test', staff: true });
  const staff = await loggedIn(app().url, app().services, 'helper@agency.test');
  const waiting = await halfway(email);
  const reset = 'mutation ($id: ID!) { resetUserSecondFactor(id: $id) }';
  expect((await staff.ask(reset, { id: userId })).resetUserSecondFactor).toBe(true);
  expect((await staff.ask(reset, { id: userId })).resetUserSecondFactor).toBe(false);
  expect(await client.ask('{ me { email } }')).toEqual({ me: null });
  expect(await waiting.ask(STEP)).toEqual({ loginStep: null });
  expect((await panelClient(app().url).ask(LOGIN, { email, password: PASSWORD })).login).toBe(true);
  expect((await auditOf(userId)).filter((action) => action === 'user.second_factor_reset')).toHaveLength(1);
});

test('staff do not take their own away without a code', async () => {
  const { userId, client } = await enrolled({ staff: true });
  const reset = 'mutation ($id: ID!) { resetUserSecondFactor(id: $id) }';
  expect(await client.refused(reset, { id: userId })).toBe('CONFLICT');
  expect((await client.ask(STATE)).me.secondFactor.enabledAt).not.toBeNull();
});

test('a password that staff draw anew leaves the second factor', async () => {
  const { email, userId } = await enrolled();
  const { password } = await app().services.accounts.resetPassword(userId, {
    userId: null,
    channel: 'system',
  });
  expect((await panelClient(app().url).ask(LOGIN, { email, password })).login).toBe(false);
});
