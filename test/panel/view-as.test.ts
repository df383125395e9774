import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { GraphQLResolveInfo } from 'graphql';
import { emptyAnswer } from '../../src/graphql/answer-bound.js';
import { printablePanelSchema } from '../../src/panel.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { dumpTables } from '../support/database.js';
import { provision, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';

const BEGIN = 'mutation ($id: ID!) { viewAs(teamId: $id) }';
const ME = '{ me { email staff viewAsTeamId teams { role team { slug } } } }';

let app: TestApp;
let teamId: number;
let otherId: number;
let leadId: string;
let staff: PanelClient;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme'), team('globex')]);
  const teams = await app.services.db.orm.team.findMany({ orderBy: { slug: 'asc' } });
  [teamId, otherId] = teams.map(({ id }) => id) as [number, number];
  [leadId] = (await recordedLeads(app.services, await websiteId(app.services, 'www.acme.test'), 1)) as [
    string,
  ];
  await recordedLeads(app.services, await websiteId(app.services, 'www.globex.test'), 2);
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
});
afterAll(() => app.close());

beforeEach(async () => {
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
  await staff.ask(BEGIN, { id: teamId });
});

const auditOf = async (id: number) =>
  (
    await app.services.db.orm.auditEvent.findMany({
      where: { teamId: id, action: { startsWith: 'team.view' } },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      include: { actor: true },
    })
  ).map(({ action, actor }) => [action, actor?.email]);

describe('staff who see the panel as a client', () => {
  test('see what an owner of the team sees, and nothing of another', async () => {
    expect((await staff.ask(ME)).me).toEqual({
      email: 'staff@agency.test',
      staff: false,
      viewAsTeamId: String(teamId),
      teams: [{ role: 'owner', team: { slug: 'acme' } }],
    });
    const { submissions } = await staff.ask('{ submissions(first: 9) { edges { node { id } } } }');
    expect(submissions.edges).toEqual([{ node: { id: leadId } }]);
    expect(await staff.refused('query ($id: ID!) { team(id: $id) { name } }', { id: otherId })).toBe(
      'NOT_FOUND',
    );
    for (const query of ['{ users { edges { node { id } } } }', '{ auditEvents { edges { node { id } } } }'])
      expect(await staff.refused(query)).toBe('FORBIDDEN');
  });

  test('download what that client may download', async () => {
    const csv = await (await staff.fetch('/panel/exports/submissions.csv')).text();
    expect(csv).toContain('www.acme.test');
    expect(csv).not.toContain('www.globex.test');
    expect((await staff.fetch(`/panel/exports/submissions.csv?teamId=${otherId}`)).status).toBe(404);
  });

  test('cannot begin to see another one without going back first', async () => {
    expect(await staff.refused(BEGIN, { id: otherId })).toBe('FORBIDDEN');
  });

  test('do so in one session alone', async () => {
    const elsewhere = await loggedIn(app.url, app.services, 'staff@agency.test');
    expect((await elsewhere.ask(ME)).me).toMatchObject({ staff: true, viewAsTeamId: null, teams: [] });
  });

  test('go back, which the audit trail of the team has beside the beginning', async () => {
    await app.services.db.orm.auditEvent.deleteMany({ where: { action: { startsWith: 'team.view' } } });
    await staff.ask('mutation { endViewAs }');
    expect((await staff.ask('mutation { endViewAs }')).endViewAs).toBe(false);
    await staff.ask(BEGIN, { id: teamId });
    await staff.ask('mutation { logout }');
    expect(await auditOf(teamId)).toEqual([
      ['team.view_ended', 'staff@agency.test'],
      ['team.view_began', 'staff@agency.test'],
      ['team.view_ended', 'staff@agency.test'],
    ]);
    expect(await staff.ask('{ me { email } }')).toEqual({ me: null });
  });

  test.each(['the password is changed elsewhere', 'the session expires'])(
    'go back when %s, which the audit trail has once',
    async (cause) => {
      const { db, sessions } = app.services;
      const email = `${cause.replaceAll(' ', '-')}@agency.test`;
      const userId = await createAccount(app.services, { email, staff: true });
      const viewing = await loggedIn(app.url, app.services, email);
      await viewing.ask(BEGIN, { id: otherId });
      if (cause === 'the session expires')
        await db.orm.session.updateMany({ where: { userId }, data: { expiresAt: new Date(0) } });
      else await sessions.end({ userId, reason: 'password_changed' }, { userId, channel: 'panel' });
      await sessions.purge();
      await sessions.purge();
      expect(await db.orm.session.count({ where: { userId } })).toBe(0);
      expect((await auditOf(otherId)).filter(([, actor]) => actor === email)).toEqual([
        ['team.view_began', email],
        ['team.view_ended', email],
      ]);
    },
  );

  test('are not said to end a view that ended with their session, when they lose their standing', async () => {
    const { db, accounts } = app.services;
    const email = 'twice@agency.test';
    const userId = await createAccount(app.services, { email, staff: true });
    const viewing = await loggedIn(app.url, app.services, email);
    await viewing.ask(BEGIN, { id: otherId });
    await viewing.ask('mutation { logout }');
    const ended = { action: 'team.view_ended', teamId: otherId };
    const before = await db.orm.auditEvent.count({ where: ended });
    await accounts.update(userId, { staff: false }, { userId: null, channel: 'system' });
    expect(await db.orm.auditEvent.count({ where: ended })).toBe(before);
  });

  test('are logged out of it with the session, and without staff standing see their own teams', async () => {
    const email = 'former@agency.test';
    await createAccount(app.services, { email, staff: true });
    const former = await loggedIn(app.url, app.services, email);
    await former.ask(BEGIN, { id: teamId });
    const { id } = await app.services.db.orm.user.findUniqueOrThrow({ where: { email } });
    await app.services.accounts.update(id, { staff: false }, { userId: null, channel: 'system' });
    expect((await former.ask(ME)).me).toMatchObject({ staff: false, viewAsTeamId: null, teams: [] });
    expect(
      (await app.services.db.orm.session.findFirstOrThrow({ where: { userId: id } })).viewAsTeamId,
    ).toBeNull();
    const { action, actorId } = await app.services.db.orm.auditEvent.findFirstOrThrow({
      where: { teamId },
      orderBy: { id: 'desc' },
    });
    expect([action, actorId]).toEqual(['team.view_ended', null]);
  });
});

describe('every mutation but the end of the view', () => {
  const fields = Object.values(printablePanelSchema().getMutationType()!.getFields());
  const MESSAGE = 'While you see the panel as a client, nothing can be changed.';

  test('is refused by the schema, before its resolver is asked', async () => {
    const context = { viewer: { viewAsTeamId: 1 }, answer: emptyAnswer() };
    const messages = await Promise.all(
      fields.map(async ({ resolve }) => {
        try {
          // What a resolver needs is not there, so one that is asked fails in another way.
          await resolve?.(undefined, {}, context, {} as GraphQLResolveInfo);
        } catch (error) {
          return (error as Error).message;
        }
      }),
    );
    const refused = fields.filter((_, index) => messages[index] === MESSAGE);
    const names = fields.map(({ name }) => name).filter((name) => !['endViewAs', 'logout'].includes(name));
    expect(refused.map(({ name }) => name)).toEqual(names);
    expect(names.length).toBeGreaterThan(40);
  });

  test.each([
    'mutation { revokeOtherSessions }',
    'mutation { x: revokeOtherSessions }',
    'mutation { ...Changes } fragment Changes on Mutation { revokeOtherSessions }',
    'mutation { ... on Mutation { updateViewer(input: { name: "Other" }) { name } } }',
    'mutation { addSubmissionNote(submissionId: "ID", text: "Seen.") { id } }',
    'mutation { login(email: "staff@agency.test", password: "correct horse battery") }',
    'mutation { eraseEmailAddress(teamId: "TEAM", email: "visitor@x.test") }',
  ])('is refused and writes nothing: %s', async (query) => {
    const before = await dumpTables(app.database.url);
    const { errors } = await staff.send(query.replace('ID', leadId).replace('TEAM', String(teamId)));
    expect(errors?.map(({ message, extensions }) => [message, extensions.code])).toEqual([
      [MESSAGE, 'FORBIDDEN'],
    ]);
    expect(await dumpTables(app.database.url)).toEqual(before);
  });
});
