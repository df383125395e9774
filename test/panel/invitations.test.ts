import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hashPassword } from '../../src/auth/passwords.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team } from '../support/factories.js';
import { createAccount, loggedIn, type PanelClient, type PanelData, panelClient } from '../support/panel.js';

const INVITE = `mutation ($teamId: ID!, $input: InviteMemberInput!) {
  inviteMember(teamId: $teamId, input: $input) {
    id email name role invitedBy createdAt expiresAt account { id email name staff canLogIn createdAt }
  }
}`;
const BY_TOKEN =
  'mutation ($token: String!, $password: String) { acceptInvitation(token: $token, password: $password) }';
const BY_ID = 'mutation ($id: ID!) { acceptInvitation(id: $id) }';
const DECLINE = 'mutation ($id: ID!) { declineInvitation(id: $id) }';
const REVOKE = 'mutation ($id: ID!) { revokeInvitation(id: $id) }';
const LOGIN = 'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }';
const REMOVE = 'mutation ($teamId: ID!, $userId: ID!) { removeMember(teamId: $teamId, userId: $userId) }';
const MINE =
  '{ me { invitations { id team { name } role invitedBy expiresAt } teams { role team { slug } } } }';
const PENDING = `query ($teamId: ID!) {
  invitations(teamId: $teamId) { id email role invitedBy createdAt expiresAt }
}`;
const PASSWORD = 'correct horse battery';
const OTHER_PASSWORD = 'battery staple horse';

let app: TestApp;
let owner: PanelClient;
let teamId: number;
let aheadMs = 0;
beforeAll(async () => {
  app = await startTestApp({ clock: () => new Date(Date.now() + aheadMs) });
  await provision(app.services, [team('acme'), team('globex')]);
  await app.services.db.orm.website.updateMany({ data: { locale: 'en' } });
  owner = await as('owner@acme.test');
  teamId = await teamOf('acme');
});
afterAll(() => app.close());

const as = (email: string) => loggedIn(app.url, app.services, email);
const nobody = () => panelClient(app.url);
const teamOf = async (slug: string) =>
  (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug } })).id;

const passwordHash = hashPassword(PASSWORD);

/** An account with the password, which is hashed once for all. */
const account = async (email: string) =>
  (await app.services.db.orm.user.create({ data: { email, name: email, passwordHash: await passwordHash } }))
    .id;

async function invite(email: string, role = 'member', by = owner): Promise<PanelData> {
  const input = { email, name: 'Newcomer', role };
  return (await by.ask(INVITE, { teamId, input })).inviteMember;
}

const rolesOf = async (email: string) =>
  (await app.services.db.orm.membership.findMany({ where: { teamId, user: { email } } })).map(
    ({ role }) => role,
  );

const pendingOf = async (email: string): Promise<PanelData[]> => {
  const { invitations } = await owner.ask(PENDING, { teamId });
  return invitations.filter((one: PanelData) => one.email === email);
};

/** The token in the link of an invitation. */
const tokenOf = (id: string) =>
  app.services.oneTimeLinks.addressOf({ id, purpose: 'invitation' }).split('#')[1]!;

/** Makes an attempt at every e-mail that is due, and returns the messages to an address. */
async function mailTo(email: string) {
  const { db, accountEmails } = app.services;
  const due = await db.orm.oneTimeLink.findMany({ where: { state: 'pending' } });
  await Promise.all(due.map(({ id }) => accountEmails.send(id, () => undefined)));
  return app.sink.messages.filter(({ recipients }) => recipients.includes(email));
}

const events = (action: string, subjectId: string) =>
  app.services.db.orm.auditEvent.findMany({ where: { action, subjectId } });

describe('the answer to an invitation', () => {
  test('is the same for an address with an account, one without, and one without a password', async () => {
    await account('known@answer.test');
    await createAccount(app.services, { email: 'mute@answer.test' });
    const answers = await Promise.all(['known', 'mute', 'fresh'].map((one) => invite(`${one}@answer.test`)));
    const told = answers.map((answer) =>
      JSON.stringify(answer)
        .replaceAll(answer.id, 'ID')
        .replaceAll(answer.email, 'ADDRESS')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'),
    );
    expect(new Set(told).size).toBe(1);
    expect(answers[0]).toMatchObject({
      email: 'known@answer.test',
      name: 'Newcomer',
      role: 'member',
      invitedBy: 'owner@acme.test',
      account: { id: answers[0].id, email: 'known@answer.test', name: 'Newcomer', canLogIn: false },
    });
  });

  test('is a conflict for a member who can log in, and for one who has another role', async () => {
    const id = await account('inside@answer.test');
    const join = (userId: number) =>
      app.services.db.orm.membership.create({ data: { teamId, userId, role: 'admin' } });
    await join(id);
    await join(await createAccount(app.services, { email: 'mute-inside@answer.test' }));
    const refused = (email: string, role: string) =>
      owner.refused(INVITE, { teamId, input: { email, name: 'N', role } });
    expect(await refused('inside@answer.test', 'admin')).toBe('CONFLICT');
    expect(await refused('mute-inside@answer.test', 'member')).toBe('CONFLICT');
  });
});

describe('an invitation of an address that has an account', () => {
  test('makes no member until the account accepts it in the panel', async () => {
    await account('panel@known.test');
    const { id, expiresAt } = await invite('Panel@known.test', 'admin');
    expect(await rolesOf('panel@known.test')).toEqual([]);
    const client = await as('panel@known.test');
    expect((await client.ask(MINE)).me).toEqual({
      invitations: [{ id, team: { name: 'acme' }, role: 'admin', invitedBy: 'owner@acme.test', expiresAt }],
      teams: [],
    });
    await client.ask(BY_ID, { id });
    expect((await client.ask(MINE)).me).toEqual({
      invitations: [],
      teams: [{ role: 'admin', team: { slug: 'acme' } }],
    });
    expect(await client.refused(BY_ID, { id })).toBe('NOT_FOUND');
    expect(await pendingOf('panel@known.test')).toEqual([]);
  });

  test('can be declined by the account, which invalidates the link', async () => {
    await account('no@known.test');
    const { id } = await invite('no@known.test');
    const client = await as('no@known.test');
    await client.ask(DECLINE, { id });
    expect(await pendingOf('no@known.test')).toEqual([]);
    const variables = { token: tokenOf(id), password: PASSWORD };
    expect(await nobody().refused(BY_TOKEN, variables)).toBe('BAD_USER_INPUT');
    expect(await client.refused(BY_ID, { id })).toBe('NOT_FOUND');
    expect(await events('user.invitation_declined', id)).toHaveLength(1);
  });

  test('cannot be answered by another account, or without a login', async () => {
    await account('mine@known.test');
    await account('thief@known.test');
    const { id } = await invite('mine@known.test');
    const thief = await as('thief@known.test');
    expect(await thief.refused(BY_ID, { id })).toBe('NOT_FOUND');
    expect(await thief.refused(DECLINE, { id })).toBe('NOT_FOUND');
    expect(await thief.refused(BY_ID, { id: 'nonsense' })).toBe('NOT_FOUND');
    expect(await nobody().refused(BY_ID, { id })).toBe('UNAUTHENTICATED');
    expect(await nobody().refused('mutation { acceptInvitation }')).toBe('BAD_USER_INPUT');
    expect(await pendingOf('mine@known.test')).toHaveLength(1);
  });

  test('gives the holder of a leaked link neither the account nor another password for it', async () => {
    await account('leak@known.test');
    await account('finder@known.test');
    const token = tokenOf((await invite('leak@known.test')).id);
    for (const client of [nobody(), await as('finder@known.test')]) {
      for (const password of [OTHER_PASSWORD, '', undefined]) {
        const { errors } = await client.send(BY_TOKEN, { token, password });
        expect(errors?.[0]?.extensions.errors).toEqual({
          password: ['is not that of the account that this address has'],
        });
      }
      expect((await client.ask('{ me { email } }')).me?.email).not.toBe('leak@known.test');
    }
    expect(await rolesOf('leak@known.test')).toEqual([]);
    await nobody().ask(LOGIN, { email: 'leak@known.test', password: PASSWORD });
  });

  test('is accepted by the link with the password of the account, which logs in', async () => {
    await account('link@known.test');
    const token = tokenOf((await invite('link@known.test')).id);
    const client = nobody();
    await client.ask(BY_TOKEN, { token, password: PASSWORD });
    expect((await client.ask('{ me { email } }')).me).toEqual({ email: 'link@known.test' });
    expect(await rolesOf('link@known.test')).toEqual(['member']);
  });

  test('is accepted by the link alone where the account is logged in', async () => {
    await account('session@known.test');
    const token = tokenOf((await invite('session@known.test')).id);
    await (await as('session@known.test')).ask(BY_TOKEN, { token });
    expect(await rolesOf('session@known.test')).toEqual(['member']);
  });

  test('counts passwords tried at its link as attempts at the account', async () => {
    await account('guess@known.test');
    const token = tokenOf((await invite('guess@known.test')).id);
    const guesses = Array.from({ length: 11 }, () =>
      nobody().refused(BY_TOKEN, { token, password: 'wrong' }),
    );
    expect((await Promise.all(guesses)).filter((code) => code === 'RATE_LIMITED')).toHaveLength(1);
  });

  test('keeps the role of an account that became a member meanwhile', async () => {
    const userId = await account('promoted@known.test');
    const { id } = await invite('promoted@known.test', 'member');
    await app.services.db.orm.$transaction((tx) =>
      app.services.teams.setRole(tx, { teamId, userId }, 'owner', TEST_ACTOR),
    );
    await (await as('promoted@known.test')).ask(BY_ID, { id });
    expect(await rolesOf('promoted@known.test')).toEqual(['owner']);
  });
});

describe('the link of an invitation', () => {
  const FOLLOW = `query ($token: String!) {
    followedInvitation(token: $token) { email team { name } role invitedBy expiresAt hasPassword }
  }`;

  test('tells its reader the team, and whether there is an account, and is not used up by that', async () => {
    const email = 'reader@elsewhere.test';
    const { id, expiresAt } = await invite(email, 'admin');
    const token = tokenOf(id);
    const followed = {
      email,
      team: { name: 'acme' },
      role: 'admin',
      invitedBy: 'owner@acme.test',
      expiresAt,
      hasPassword: false,
    };
    const reader = nobody();
    expect((await reader.ask(FOLLOW, { token })).followedInvitation).toEqual(followed);
    await account(email);
    expect((await reader.ask(FOLLOW, { token })).followedInvitation.hasPassword).toBe(true);
    await reader.ask(BY_TOKEN, { token, password: PASSWORD });
    expect(await reader.refused(FOLLOW, { token })).toBe('BAD_USER_INPUT');
  });
});

describe('an invitation of a member without a password', () => {
  test('sends a link that sets the first one and keeps the role', async () => {
    const userId = await createAccount(app.services, { email: 'first@mute.test' });
    await app.services.db.orm.membership.create({ data: { teamId, userId, role: 'admin' } });
    const token = tokenOf((await invite('first@mute.test', 'admin')).id);
    await nobody().ask(BY_TOKEN, { token, password: PASSWORD });
    await nobody().ask(LOGIN, { email: 'first@mute.test', password: PASSWORD });
    expect(await rolesOf('first@mute.test')).toEqual(['admin']);
  });

  test('is deleted when the member is removed', async () => {
    const userId = await createAccount(app.services, { email: 'gone@mute.test' });
    await app.services.db.orm.membership.create({ data: { teamId, userId, role: 'member' } });
    const token = tokenOf((await invite('gone@mute.test')).id);
    await owner.ask(REMOVE, { teamId, userId });
    expect(await nobody().refused(BY_TOKEN, { token, password: PASSWORD })).toBe('BAD_USER_INPUT');
  });
});

describe('a pending invitation', () => {
  test('is listed with its address, role, time and inviter, until it expires', async () => {
    const { id, createdAt, expiresAt } = await invite('listed@pending.test', 'admin');
    expect(await pendingOf('listed@pending.test')).toEqual([
      { id, email: 'listed@pending.test', role: 'admin', invitedBy: 'owner@acme.test', createdAt, expiresAt },
    ]);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(7 * 24 * 3_600_000);
    aheadMs = 7 * 24 * 3_600_000 + 1;
    try {
      expect(await pendingOf('listed@pending.test')).toEqual([]);
      expect(await owner.refused(REVOKE, { id })).toBe('NOT_FOUND');
      expect((await invite('listed@pending.test')).id).not.toBe(id);
    } finally {
      aheadMs = 0;
    }
  });

  test('that is repeated after its e-mail was never confirmed gets all its attempts again', async () => {
    const { id } = await invite('silent@list.test');
    const { db } = app.services;
    await db.orm.oneTimeLink.update({
      where: { id },
      data: { state: 'failed', attempts: 3, unconfirmed: 2 },
    });
    await invite('silent@list.test');
    expect(await db.orm.oneTimeLink.findUnique({ where: { id } })).toMatchObject({
      state: 'pending',
      attempts: 0,
      unconfirmed: 0,
    });
  });

  test('that is repeated is sent again as one invitation, with the role given last', async () => {
    const first = await invite('twice@pending.test', 'admin');
    expect(await mailTo('twice@pending.test')).toHaveLength(1);
    const second = await invite('twice@pending.test', 'member');
    expect(second.id).toBe(first.id);
    const messages = await mailTo('twice@pending.test');
    expect(messages).toHaveLength(2);
    expect(new Set(messages.map(({ mail }) => mail.messageId)).size).toBe(2);
    for (const { mail } of messages) expect(mail.text).toContain(tokenOf(first.id));
    expect(await pendingOf('twice@pending.test')).toMatchObject([{ id: first.id, role: 'member' }]);
    await nobody().ask(BY_TOKEN, { token: tokenOf(first.id), password: PASSWORD });
    expect(await rolesOf('twice@pending.test')).toEqual(['member']);
  });

  test('can be revoked by a manager of the team, which invalidates the link', async () => {
    const { id } = await invite('revoked@pending.test');
    expect(await (await as('owner@globex.test')).refused(REVOKE, { id })).toBe('NOT_FOUND');
    expect(await (await as('member@acme.test')).refused(REVOKE, { id })).toBe('FORBIDDEN');
    await (await as('admin@acme.test')).ask(REVOKE, { id });
    expect(await owner.refused(REVOKE, { id })).toBe('NOT_FOUND');
    const variables = { token: tokenOf(id), password: PASSWORD };
    expect(await nobody().refused(BY_TOKEN, variables)).toBe('BAD_USER_INPUT');
    expect(await events('member.invitation_revoked', id)).toMatchObject([
      { teamId, detail: { email: 'revoked@pending.test', role: 'member' } },
    ]);
  });

  test('of an owner cannot be made, lowered or revoked by an admin', async () => {
    const admin = await as('admin@acme.test');
    const { id } = await invite('chief@pending.test', 'owner');
    for (const role of ['owner', 'member']) {
      const input = { email: 'chief@pending.test', name: 'N', role };
      expect(await admin.refused(INVITE, { teamId, input })).toBe('FORBIDDEN');
    }
    expect(await admin.refused(REVOKE, { id })).toBe('FORBIDDEN');
    expect(await pendingOf('chief@pending.test')).toMatchObject([{ role: 'owner' }]);
  });
});
