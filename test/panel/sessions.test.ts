import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { createAccount, loggedIn, type PanelClient, type PanelData, panelClient } from '../support/panel.js';

const CHANGE = 'mutation ($current: String!, $new: String!) { changePassword(current: $current, new: $new) }';
const PASSWORD = 'correct horse battery';

let app: TestApp;
/** What the clock of the application shows beyond the real time. */
let aheadMs = 0;
beforeAll(async () => {
  app = await startTestApp({ clock: () => new Date(Date.now() + aheadMs) });
  await createAccount(app.services, { email: 'olive@acme.test', password: PASSWORD });
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
});
afterAll(() => app.close());

const olive = () => loggedIn(app.url, app.services, 'olive@acme.test');
const staff = () => loggedIn(app.url, app.services, 'staff@agency.test');

describe('the end of sessions', () => {
  const SESSION = '{ sessions { id current } }';

  /** The events of an account that tell of ended sessions, the latest first. */
  async function endings(id: number): Promise<PanelData[]> {
    const { auditEvents } = await client.ask(
      `{ auditEvents(action: "session.ended", first: 100) {
           edges { node { actorId channel subjectType subjectId teamId detail } } } }`,
    );
    const events: PanelData[] = auditEvents.edges.map(({ node }: PanelData) => node);
    return events.filter(({ subjectId }) => subjectId === String(id));
  }

  let client: PanelClient;
  beforeAll(async () => {
    client = await staff();
  });

  const idOf = async (one: PanelClient): Promise<string> =>
    (await one.ask(SESSION)).sessions.find(({ current }: PanelData) => current).id;

  /** An account with three sessions. */
  async function threeSessions(email: string) {
    const userId = await createAccount(app.services, { email, password: PASSWORD });
    const open = () => loggedIn(app.url, app.services, email);
    const clients = [await open(), await open(), await open()] as const;
    const ids = [await idOf(clients[0]), await idOf(clients[1]), await idOf(clients[2])] as const;
    return { userId, clients, ids };
  }

  test('is in the audit trail, with its cause', async () => {
    const { userId, clients, ids } = await threeSessions('ended@acme.test');
    await clients[2].ask('mutation { logout }');
    await clients[0].ask('mutation ($id: ID!) { revokeSession(id: $id) }', { id: ids[1] });
    const ended = (reason: string, ...sessionIds: string[]) => ({
      actorId: String(userId),
      channel: 'panel',
      teamId: null,
      subjectType: 'user',
      subjectId: String(userId),
      detail: { reason, sessionIds },
    });
    expect(await endings(userId)).toEqual([ended('revoked', ids[1]), ended('logout', ids[2])]);
    await clients[0].ask('mutation { revokeOtherSessions }');
    expect(await endings(userId)).toHaveLength(2);
    const other = await loggedIn(app.url, app.services, 'ended@acme.test');
    await other.ask('mutation { revokeOtherSessions }');
    expect((await endings(userId))[0]).toEqual(ended('revoked', ids[0]));
  });

  test('is in the audit trail when a new password caused it', async () => {
    const { userId, clients, ids } = await threeSessions('changed@acme.test');
    await clients[0].ask(CHANGE, { current: PASSWORD, new: 'battery staple' });
    const [changed] = await endings(userId);
    expect(changed.detail.reason).toBe('password_changed');
    expect([...changed.detail.sessionIds].sort()).toEqual([ids[1], ids[2]].sort());
    await client.ask('mutation ($id: ID!) { resetUserPassword(id: $id) { password } }', { id: userId });
    const [reset] = await endings(userId);
    expect(reset.detail).toEqual({ reason: 'password_reset', sessionIds: [ids[0]] });
    expect(reset.actorId).not.toBe(String(userId));

    const again = await loggedIn(app.url, app.services, 'changed@acme.test');
    const id = await idOf(again);
    const { db, oneTimeLinks } = app.services;
    await db.orm.$transaction((tx) => oneTimeLinks.issueReset(tx, userId));
    const link = await db.orm.oneTimeLink.findFirstOrThrow({ where: { userId } });
    await panelClient(app.url).ask(
      'mutation ($token: String!) { resetPassword(token: $token, password: "battery staple") }',
      { token: oneTimeLinks.addressOf(link).split('#')[1] },
    );
    expect((await endings(userId))[0]).toMatchObject({
      actorId: String(userId),
      detail: { reason: 'password_reset', sessionIds: [id] },
    });
  });
});

describe('sessions', () => {
  test('are listed without their secrets, and ended one by one or all but the current one', async () => {
    await createAccount(app.services, { email: 'many@acme.test' });
    const clients = await Promise.all([1, 2, 3].map(() => loggedIn(app.url, app.services, 'many@acme.test')));
    const [client, second, third] = clients;
    const { sessions } = await client!.ask('{ sessions { id current ip userAgent lastSeenAt expiresAt } }');
    expect(sessions).toHaveLength(3);
    expect(sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    const secrets = clients.map((one) => one.cookie().split('=')[1]!);
    for (const secret of secrets) expect(JSON.stringify(sessions)).not.toContain(secret);

    const { sessions: ofSecond } = await second!.ask('{ sessions { id current } }');
    const { id } = ofSecond.find(({ current }: { current: boolean }) => current);
    const REVOKE = 'mutation ($id: ID!) { revokeSession(id: $id) }';
    expect(await (await olive()).refused(REVOKE, { id })).toBe('NOT_FOUND');
    expect(await client!.refused(REVOKE, { id: 'nonsense' })).toBe('NOT_FOUND');
    await client!.ask(REVOKE, { id });
    expect((await second!.ask('{ me { email } }')).me).toBeNull();
    expect(await client!.refused(REVOKE, { id })).toBe('NOT_FOUND');

    expect(await client!.ask('mutation { revokeOtherSessions }')).toEqual({ revokeOtherSessions: 1 });
    expect((await third!.ask('{ me { email } }')).me).toBeNull();
    expect((await client!.ask('{ me { email } }')).me).not.toBeNull();
  });

  test('are distinguished when presented concurrently', async () => {
    await createAccount(app.services, { email: 'other@acme.test' });
    const other = await loggedIn(app.url, app.services, 'other@acme.test');
    const ended = await loggedIn(app.url, app.services, 'other@acme.test');
    await other.ask('mutation { revokeOtherSessions }');
    const made = panelClient(app.url, 'formgate=never-given');
    const clients = [await olive(), other, ended, made, await staff()];
    const asked = Array.from({ length: 20 }, () => clients).flat();
    const answers = await Promise.all(asked.map((client) => client.ask('{ me { email } }')));
    const expected = ['olive@acme.test', 'other@acme.test', null, null, 'staff@agency.test'];
    answers.forEach(({ me }, i) => {
      expect(me?.email ?? null).toBe(expected[i % clients.length]);
    });
  });

  test('end after fourteen days, and are then deleted', async () => {
    await createAccount(app.services, { email: 'old@acme.test' });
    const client = await loggedIn(app.url, app.services, 'old@acme.test');
    const { db, sessions } = app.services;
    aheadMs = 14 * 24 * 3_600_000 + 1;
    try {
      expect((await client.ask('{ me { email } }')).me).toBeNull();
      expect(await sessions.purge()).toBeGreaterThan(0);
      expect(await db.orm.session.count()).toBe(0);
    } finally {
      aheadMs = 0;
    }
  });
});
