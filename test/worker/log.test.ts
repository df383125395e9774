import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { loggedIn } from '../support/panel.js';
import { eventually } from '../support/wait.js';

type Line = Readonly<Record<string, unknown>>;

const lines: Line[] = [];
let app: TestApp;
let token: string;

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  app = await startTestApp({
    ...{ worker: true, log },
    mailTimeouts: { connectMs: 10_000, answerMs: 10_000, slowMs: 50, confirmMs: 60_000 },
    smtp: { confirm: () => confirmation },
  });
  await provision(app.services, [
    team('acme', { websites: [website('www.acme.test'), website('mute.acme.test')] }),
  ]);
  await app.services.db.orm.website.updateMany({ where: { host: 'mute.acme.test' }, data: { email: '' } });
  token = await createToken(app.services, 'acme', 'owner@acme.test');
});

afterAll(() => app.close());

let confirmation = Promise.resolve(undefined);

async function submit(host: string, requestId: string): Promise<Line> {
  const site = await websiteId(app.services, host);
  const response = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      'x-request-id': requestId,
    },
    body: '{"email":"v@x.test"}',
  });
  expect(response.status).toBe(200);
  const { lead_id: leadId } = (await response.json()) as { lead_id: string };
  return { requestId, leadId, websiteId: site };
}

/** Waits for the line, and returns the lines about the lead up to now. */
async function linesUntil(message: string, { leadId }: Line): Promise<Line[]> {
  const about = () => lines.filter((line) => line.leadId === leadId);
  await eventually(() => about().some(({ msg }) => msg === message));
  return about();
}

test('the lines of gateway and worker about a submission carry the ids of request, lead and website', async () => {
  let confirm: (value: undefined) => void = () => undefined;
  confirmation = new Promise((resolve) => {
    confirm = resolve;
  });
  const ids = await submit('www.acme.test', 'followed-through');
  await linesUntil('Mail server is slow to confirm', ids);
  confirm(undefined);
  const about = await linesUntil('Notification attempted', ids);
  expect(about.map(({ msg }) => msg).sort()).toEqual([
    'Mail server is slow to confirm',
    'Notification attempted',
    'Request',
  ]);
  for (const line of about) expect(line).toMatchObject(ids);
});

test('the worker’s line about a submission without a recipient carries its three ids', async () => {
  const ids = await submit('mute.acme.test', 'nobody-to-mail');
  expect(await linesUntil('Notification ended without an attempt', ids)).toContainEqual(
    expect.objectContaining({ ...ids, state: 'no_recipient' }),
  );
});

test('panel and downloads show the request of a submission, and null for one that an earlier version recorded', async () => {
  const { services } = app;
  const site = await websiteId(services, 'www.acme.test');
  const { leadId } = await submit('www.acme.test', 'asked-about-later');
  const [old] = await recordedLeads(services, site, 1);
  await services.db.orm.submission.update({ where: { id: old! }, data: { requestId: null } });
  services.notifications.handOver(old!);
  expect(await linesUntil('Notification attempted', { leadId: old })).toMatchObject([
    { requestId: null, leadId: old, websiteId: site },
  ]);

  const owner = await loggedIn(app.url, services, 'owner@acme.test');
  const query = 'query ($id: ID!) { submission(id: $id) { requestId } }';
  expect(await owner.ask(query, { id: leadId })).toEqual({ submission: { requestId: 'asked-about-later' } });
  expect(await owner.ask(query, { id: old })).toEqual({ submission: { requestId: null } });

  const download = await (await owner.fetch('/panel/exports/submissions.ndjson')).text();
  const records = download
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const shown = new Map(records.map(({ id, request_id }) => [id, request_id]));
  expect([shown.get(leadId), shown.get(old)]).toEqual(['asked-about-later', null]);
});
