import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { createIncidents } from '../../../src/captcha/incidents/incidents.js';
import type { Incident } from '../../../src/captcha/incidents/incidents.queries.js';
import { createLogger } from '../../../src/lib/telemetry/logger.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { provision, team, websiteId } from '../../support/factories.js';

const MINUTE = new Date('2026-11-20T12:00:00.000Z');

let app: TestApp;
let incident: Incident;
let now = MINUTE;
const log = createLogger('silent');
const warn = jest.spyOn(log, 'warn');

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
  incident = {
    websiteId: await websiteId(app.services, 'www.acme.test'),
    stepKey: 'turnstile:main',
    reason: 'timeout',
    requestId: '01939a60-5c00-7a10-8b20-6c1f3a5e0002',
  };
});
afterEach(async () => {
  now = MINUTE;
  warn.mockClear();
  await app.services.db.orm.incident.deleteMany();
});
afterAll(() => app.close());

const create = () => createIncidents({ db: app.services.db, clock: () => now, log });
const after = (seconds: number) => new Date(MINUTE.getTime() + seconds * 1000);
const rows = () => app.services.db.orm.incident.findMany({ orderBy: [{ minute: 'asc' }, { reason: 'asc' }] });

test('incidents have one row a minute for each step and reason, with the count of all processes', async () => {
  const processes = [create(), create()];
  for (let i = 0; i < 500; i++) for (const { record } of processes) record(incident);
  now = after(59);
  for (const { record } of processes) record({ ...incident, requestId: 'later' });
  now = after(60);
  processes[0]!.record(incident);
  processes[0]!.record({ ...incident, reason: 'pass_through' });
  await Promise.all(processes.map(({ settled }) => settled()));
  expect(await rows()).toMatchObject([
    { ...incident, minute: MINUTE, count: 1002, firstSeenAt: MINUTE, lastSeenAt: after(59) },
    { ...incident, minute: after(60), reason: 'pass_through', count: 1 },
    { ...incident, minute: after(60), count: 1 },
  ]);
});

test('incidents have one log line a minute for each step and reason, with the count since the last', async () => {
  const { record, settled } = create();
  for (let i = 0; i < 10; i++) record(incident);
  record({ ...incident, stepKey: 'hcaptcha:eu' });
  now = after(59.9);
  record(incident);
  now = after(60);
  record(incident);
  await settled();
  expect(warn.mock.calls).toEqual([
    [{ ...incident, count: 1 }, 'Captcha incident'],
    [{ ...incident, stepKey: 'hcaptcha:eu', count: 1 }, 'Captcha incident'],
    [{ ...incident, count: 11 }, 'Captcha incident'],
  ]);
});

test('recording an incident neither waits nor fails while the database is away', async () => {
  const refused = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  const away = { $executeRaw: () => Promise.reject(refused) };
  const { record, settled } = createIncidents({
    db: { ...app.services.db, orm: Object.assign(Object.create(app.services.db.orm), away) },
    clock: () => now,
    log,
  });
  record(incident);
  await settled();
  const failure = { cause: 'connection_refused', reason: 'away' };
  expect(warn).toHaveBeenLastCalledWith(failure, 'Captcha incident not recorded');
});
