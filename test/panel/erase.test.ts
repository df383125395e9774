import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { dumpTables } from '../support/database.js';
import { createToken, provision, team, websiteId } from '../support/factories.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

const ERASE =
  'mutation ($teamId: ID!, $email: String!) { eraseEmailAddress(teamId: $teamId, email: $email) }';

let app: TestApp;
let owner: PanelClient;
let teamId: number;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme'), team('globex')]);
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
});
afterAll(() => app.close());

async function submit(slug: string, email: string, key?: string): Promise<string> {
  const token = await createToken(app.services, slug, `owner@${slug}.test`);
  const site = await websiteId(app.services, `www.${slug}.test`);
  const answer = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': key }),
    },
    body: JSON.stringify({ email, name: email }),
  });
  return ((await answer.json()) as { lead_id: string }).lead_id;
}

test('erasing an address deletes all of it in the team, and nothing else', async () => {
  const { db } = app.services;
  const gone = [await submit('acme', 'Ada@Example.com', 'key-1'), await submit('acme', 'ada@example.com')];
  const kept = [await submit('acme', 'bob@example.com', 'key-2'), await submit('globex', 'ada@example.com')];
  await app.services.notifications.settled();
  for (const submissionId of gone) {
    await db.orm.submissionNote.create({ data: { submissionId, text: 'About ada@example.com' } });
    await db.orm.notificationAttempt.create({
      data: {
        submissionId,
        number: 1,
        outcome: 'failed',
        detail: '550 ada@example.com',
        recipients: ['x@acme.test'],
        startedAt: new Date(),
        finishedAt: new Date(),
      },
    });
  }
  expect(await owner.ask(ERASE, { teamId, email: 'ADA@example.COM' })).toEqual({ eraseEmailAddress: 2 });

  const left = await db.orm.submission.findMany({ select: { id: true } });
  expect(left.map(({ id }) => id).sort()).toEqual([...kept].sort());
  await db.orm.submission.deleteMany({ where: { id: kept[1]! } });
  expect(JSON.stringify(await dumpTables(app.database.url)).toLowerCase()).not.toContain('ada@example.com');
  expect(await db.orm.idempotencyKey.findMany({ select: { key: true } })).toEqual([
    { key: expect.stringMatching(/^\d+\tkey-2$/) },
  ]);
  const event = await db.orm.auditEvent.findFirstOrThrow({ where: { action: 'address.erased' } });
  expect(event).toMatchObject({
    teamId,
    channel: 'panel',
    subjectType: 'team',
    subjectId: String(teamId),
    detail: { submissions: 2 },
  });
});

test('erasing covers more submissions than one statement', async () => {
  const { db } = app.services;
  const { websiteId: site, formId } = await db.orm.placement.findFirstOrThrow({ where: { teamId } });
  await db.orm.$executeRaw`
    INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", emails)
    SELECT gen_random_uuid(), ${teamId}::int, ${site}::uuid, ${formId}::int, 1, 'fr', '{}', '{many@x.test}'
      FROM generate_series(1, 1234)`;
  expect(await owner.ask(ERASE, { teamId, email: 'many@x.test' })).toEqual({ eraseEmailAddress: 1234 });
  expect(await db.orm.submission.count({ where: { emails: { has: 'many@x.test' } } })).toBe(0);
});

test('erasing an unknown address answers zero, and an invalid one is refused', async () => {
  expect(await owner.ask(ERASE, { teamId, email: 'nobody@x.test' })).toEqual({ eraseEmailAddress: 0 });
  expect(await owner.refused(ERASE, { teamId, email: 'nobody' })).toBe('BAD_USER_INPUT');
});
