import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team } from '../support/factories.js';
import { createAccount, loggedIn, type PanelClient, panelClient } from '../support/panel.js';

const INVITE = `mutation ($teamId: ID!, $input: InviteMemberInput!) {
  inviteMember(teamId: $teamId, input: $input) { id }
}`;
const BY_TOKEN =
  'mutation ($token: String!, $password: String) { acceptInvitation(token: $token, password: $password) }';
const BY_ID = 'mutation ($id: ID!) { acceptInvitation(id: $id) }';
const PASSWORD = 'correct horse battery';

let app: TestApp;
let owner: PanelClient;
let teamId: number;
beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme'), team('globex')]);
  owner = await as('owner@acme.test');
  teamId = await teamOf('acme');
});
afterAll(() => app.close());

const as = (email: string) => loggedIn(app.url, app.services, email);
const teamOf = async (slug: string) =>
  (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug } })).id;

async function invite(email: string, role = 'member'): Promise<{ id: string }> {
  return (await owner.ask(INVITE, { teamId, input: { email, name: 'Newcomer', role } })).inviteMember;
}

describe('concurrent invitations', () => {
  test('of one address make one pending row and one e-mail', async () => {
    const input = { email: 'crowd@race.test', name: 'N', role: 'member' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => owner.send(INVITE, { teamId, input })),
    );
    const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'ok');
    expect(codes.filter((code) => code === 'ok')).toHaveLength(3);
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(17);
    const { db, accountEmails } = app.services;
    const rows = await db.orm.oneTimeLink.findMany({ where: { email: input.email } });
    expect(rows).toHaveLength(1);
    await Promise.all([1, 2, 3].map(() => accountEmails.send(rows[0]!.id, () => undefined)));
    expect(app.sink.messages.filter(({ recipients }) => recipients.includes(input.email))).toHaveLength(1);
  });

  test.each([
    ['a known address in the panel', 'known', 'id'],
    ['a known address by the link', 'known', 'token'],
    ['a new address by the link', 'new', 'token'],
  ])('accepted concurrently for %s make one membership', async (_title, kind, by) => {
    const email = `${kind}-${by}@race.test`;
    if (kind === 'known') await createAccount(app.services, { email, password: PASSWORD });
    const { id } = await invite(email);
    const client = kind === 'known' ? await as(email) : panelClient(app.url);
    const { db, oneTimeLinks } = app.services;
    const token = oneTimeLinks.addressOf({ id, purpose: 'invitation' }).split('#')[1]!;
    const [query, variables] = by === 'id' ? [BY_ID, { id }] : [BY_TOKEN, { token, password: PASSWORD }];
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.send(query, variables)));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    for (const { errors } of answers) {
      expect([undefined, 'NOT_FOUND', 'BAD_USER_INPUT']).toContain(errors?.[0]?.extensions.code);
    }
    const memberships = await db.orm.membership.findMany({ where: { user: { email } } });
    expect(memberships).toMatchObject([{ teamId, role: 'member' }]);
    const accepted = { action: 'user.invitation_accepted', subjectId: String(memberships[0]!.userId) };
    expect(await db.orm.auditEvent.count({ where: accepted })).toBe(1);
  });
});

describe('the limit of invitations', () => {
  test('is three a day for an address and team', async () => {
    for (const role of ['member', 'admin', 'member']) await invite('often@limit.test', role);
    const input = { email: 'Often@limit.test', name: 'N', role: 'member' };
    expect(await owner.refused(INVITE, { teamId, input })).toBe('RATE_LIMITED');
    await invite('another@limit.test');
    const theirs = { teamId: await teamOf('globex'), input };
    await (await as('owner@globex.test')).ask(INVITE, theirs);
  });

  test('is fifty a day for a team', async () => {
    const globex = await teamOf('globex');
    const hit = { limit: 'invitations', key: String(globex) } as const;
    while ((await app.services.limiter.peek(hit)).passes) await app.services.limiter.consume(hit);
    const input = { email: 'fifty-first@limit.test', name: 'N', role: 'member' };
    const client = await as('owner@globex.test');
    expect(await client.refused(INVITE, { teamId: globex, input })).toBe('RATE_LIMITED');
    await invite('elsewhere@limit.test');
  });

  test('keeps nothing about an address that it refuses', async () => {
    const globex = await teamOf('globex');
    const { limiter } = app.services;
    const hit = { limit: 'invitations', key: String(globex) } as const;
    while ((await limiter.peek(hit)).passes) await limiter.consume(hit);
    const client = await as('owner@globex.test');
    const input = { email: 'made-up@limit.test', name: 'N', role: 'member' };
    expect(await client.refused(INVITE, { teamId: globex, input })).toBe('RATE_LIMITED');
    const remaining = async (email: string) =>
      (await limiter.peek({ limit: 'invitations-address', key: `${globex} ${email}` })).remaining;
    expect(await remaining(input.email)).toBe(await remaining('never-invited@limit.test'));
  });
});
