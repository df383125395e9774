import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { totpCode } from '../../src/auth/second-factor/totp.js';
import { startTestApp, type TestApp } from './app.js';
import { provision, team } from './factories.js';
import { createAccount, loggedIn, type PanelClient, panelClient } from './panel.js';

export const PASSWORD = 'correct horse battery';
export const LOGIN =
  'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }';
export const CONFIRM_LOGIN = 'mutation ($code: String!) { confirmLogin(code: $code) }';
export const START = 'mutation ($password: String) { startSecondFactor(password: $password) { secret uri } }';
export const CONFIRM = 'mutation ($code: String!) { confirmSecondFactor(code: $code) }';
export const REMOVE = 'mutation ($code: String!) { removeSecondFactor(code: $code) }';
export const STATE = '{ me { secondFactor { enabledAt recoveryCodesLeft required } } }';
export const STEP = '{ loginStep }';

/** An account with an authenticator app, and the browser in which it was set up. */
export type Enrolled = Readonly<{
  email: string;
  userId: number;
  client: PanelClient;
  secret: string;
  codes: string[];
}>;

/** Runs the tests of a file over a gateway with a team `acme`, by a clock of their own. */
export function secondFactorTest() {
  let app: TestApp;
  let now = Date.now();
  let count = 0;

  beforeAll(async () => {
    app = await startTestApp({ clock: () => new Date(now) });
    await provision(app.services, [team('acme')]);
  });
  afterAll(() => app?.close());
  // A code is accepted once, so each test has a time step of its own.
  beforeEach(() => {
    now += 120_000;
  });

  /** The code that the authenticator app of a secret shows now. */
  const codeOf = (secret: string) => totpCode(secret, new Date(now));

  async function newAccount(options: { staff?: boolean } = {}): Promise<{ email: string; userId: number }> {
    count += 1;
    const email = `account${count}@acme.test`;
    return { email, userId: await createAccount(app.services, { email, password: PASSWORD, ...options }) };
  }

  return {
    app: () => app,
    now: () => now,
    /** Lets time pass. */
    wait(ms: number): void {
      now += ms;
    },
    codeOf,
    newAccount,

    /** An account that has set up its authenticator app, and whose next code is fresh. */
    async enrolled(options: { staff?: boolean } = {}): Promise<Enrolled> {
      const account = await newAccount(options);
      const client = await loggedIn(app.url, app.services, account.email);
      const { secret } = (await client.ask(START, { password: PASSWORD })).startSecondFactor;
      const { confirmSecondFactor: codes } = await client.ask(CONFIRM, { code: codeOf(secret) });
      now += 60_000;
      return { ...account, client, secret, codes };
    },

    /** A browser that has given the right password. */
    async halfway(email: string): Promise<PanelClient> {
      const client = panelClient(app.url);
      expect((await client.ask(LOGIN, { email, password: PASSWORD })).login).toBe(false);
      return client;
    },

    /** What the audit trail says about an account, the first first. */
    async auditOf(userId: number): Promise<string[]> {
      const events = await app.services.db.orm.auditEvent.findMany({
        where: { subjectType: 'user', subjectId: String(userId) },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      });
      return events.map(({ action }) => action);
    },
  };
}
