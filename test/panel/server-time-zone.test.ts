import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { quotaMonth } from '../../src/plans/quota.queries.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

const MINUTE_MS = 60_000;

/** The first second of a month in UTC; in New York it is the month before. */
const FIRST_SECOND = new Date('2026-10-01T00:00:00.000Z');

describe.each(['America/New_York', 'Asia/Kolkata'])('with a PostgreSQL in %s', (databaseTimeZone) => {
  let app: TestApp;
  let owner: PanelClient;
  let site: string;
  beforeAll(async () => {
    app = await startTestApp({ worker: true, databaseTimeZone });
    await provision(app.services, [team('acme', { websites: [website('www.acme.test', { locale: 'en' })] })]);
    site = await websiteId(app.services, 'www.acme.test');
    owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  });
  afterAll(() => app.close());

  /** Minutes from an instant as told until now. */
  const minutesSince = (told: string | Date) =>
    Math.round((Date.now() - new Date(told).getTime()) / MINUTE_MS) + 0;

  test('a lead came when it came, in lists and in a row', async () => {
    const [id] = await recordedLeads(app.services, site, 1);
    const { submission } = await owner.ask('query ($id: ID!) { submission(id: $id) { createdAt } }', { id });
    const { createdAt } = await app.services.db.orm.submission.findUniqueOrThrow({ where: { id: id! } });
    expect([submission.createdAt, createdAt].map(minutesSince)).toEqual([0, 0]);
  });

  test('a session begins when it begins, for PostgreSQL as well', async () => {
    const { sessions } = await owner.ask('{ sessions { createdAt } }');
    const [row] = await app.services.db.orm.$queryRaw<{ minutes: number }[]>`
      SELECT round(extract(epoch FROM now() - created_at) / 60)::int AS minutes FROM sessions`;
    expect([minutesSince(sessions[0].createdAt), row!.minutes]).toEqual([0, 0]);
  });

  test('the e-mail about a lead goes at once, and counts in its month (UTC)', async () => {
    const { orm } = app.services.db;
    const [id] = await recordedLeads(app.services, site, 1, FIRST_SECOND);
    const where = { submissionId: id! };
    const sent = await eventually(async () => {
      const row = await orm.notification.findUnique({ where });
      return row?.state === 'sent' && row;
    });
    expect(minutesSince(sent.sentAt!)).toBe(0);
    const usages = await orm.quotaUsage.findMany({ where: { month: quotaMonth(FIRST_SECOND) } });
    expect(usages.map(({ used }) => used)).toEqual([1]);
  });

  test('the link to a new password is e-mailed at once', async () => {
    await createAccount(app.services, { email: 'olive@acme.test', password: 'correct horse battery' });
    await owner.ask('mutation { requestPasswordReset(email: "olive@acme.test") }');
    const { mail } = await eventually(
      () => app.sink.messages.find(({ recipients }) => recipients.includes('olive@acme.test')),
      { withinMs: 20_000 },
    );
    expect(minutesSince(mail.date!)).toBe(0);
  });
});
