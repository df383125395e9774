import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team } from '../support/factories.js';
import { eventually } from '../support/wait.js';

const DAY_MS = 86_400_000;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: true });
  await provision(app.services, [team('acme')]);
});

afterAll(() => app?.close());

const orm = () => app.services.db.orm;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

/** Creates a token of the owner and changes its row. @returns its id. */
async function tokenWith(data: object, bearer = 'owner@acme.test'): Promise<number> {
  const value = await createToken(app.services, 'acme', bearer);
  const id = Number(value.split('|')[0]);
  await orm().token.update({ where: { id }, data });
  return id;
}

test('a bearer gets one e-mail for each reason, however often the tokens are looked through', async () => {
  await orm().user.update({ where: { email: 'owner@acme.test' }, data: { language: 'en' } });
  const long = { createdAt: inDays(-200) };
  const ending = await tokenWith({ name: 'CRM', expiresAt: inDays(10) });
  const unused = await tokenWith({ name: 'Old script', ...long, lastUsedAt: inDays(-91) });
  await tokenWith({ ...long, lastUsedAt: inDays(-89) });
  await tokenWith({ expiresAt: inDays(15) });
  await tokenWith({ ...long, revokedAt: inDays(-1) });
  await tokenWith({ ...long, expiresAt: inDays(-1) });
  await Promise.all([1, 2, 3].map(() => app.services.tokenNotices.record()));
  await app.services.tokenNotices.record();
  const notices = await eventually(async () => {
    const rows = await orm().tokenNotice.findMany({ orderBy: { tokenId: 'asc' } });
    return rows.length > 0 && rows.every(({ state }) => state === 'sent') && rows;
  });
  expect(notices.map(({ tokenId, reason }) => [tokenId, reason])).toEqual([
    [ending, 'ending'],
    [unused, 'unused'],
  ]);
  const mails = app.sink.messages.filter(({ recipients }) => recipients.includes('owner@acme.test'));
  expect(mails.map(({ mail }) => mail.subject).sort()).toEqual([
    'Token ends soon — CRM',
    'Unused token — Old script',
  ]);
  expect(mails.every(({ mail }) => mail.text?.includes('Organization: acme'))).toBe(true);
  expect(mails.every(({ mail }) => / at \d\d:\d\d UTC$/m.test(mail.text ?? ''))).toBe(true);
  const { teamId } = await orm().token.findUniqueOrThrow({ where: { id: ending } });
  const url = `${app.services.config.publicUrl}/panel/teams/${teamId}?tab=tokens`;
  for (const { mail } of mails) {
    expect(mail.text).toContain(`Manage: ${url}`);
    expect(mail.html).toContain(`href="${url}"`);
  }
});

test('a bearer whose account is disabled gets no notice, also none that was recorded before', async () => {
  const tokenId = await tokenWith({ expiresAt: inDays(10) }, 'admin@acme.test');
  const recorded = await tokenWith({ expiresAt: inDays(90) }, 'admin@acme.test');
  await orm().user.update({ where: { email: 'admin@acme.test' }, data: { disabledAt: new Date() } });
  const { tokenNotices } = app.services;
  await tokenNotices.record();
  expect(await orm().tokenNotice.findMany({ where: { tokenId } })).toEqual([]);
  const key = { tokenId: recorded, reason: 'ending' as const };
  await orm().tokenNotice.create({ data: key });
  await tokenNotices.send(key, () => {});
  const notice = await orm().tokenNotice.findUniqueOrThrow({ where: { tokenId_reason: key } });
  expect(notice.state).toBe('no_recipient');
  expect(app.sink.messages.some(({ recipients }) => recipients.includes('admin@acme.test'))).toBe(false);
});
