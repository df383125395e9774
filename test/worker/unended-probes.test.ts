import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../../src/generated/prisma/client.js';
import { createProbes } from '../../src/probes/probes.service.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, websiteId } from '../support/factories.js';

/** So many that the planner, which may, prefers to read the whole table where no index selects few of them. */
const PROBES = 30_000;

let app: TestApp;
let site: string;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
  site = await websiteId(app.services, 'www.acme.test');
  const { orm } = app.services.db;
  await orm.$executeRaw`
    INSERT INTO probes (id, website_id, ok, started_at, finished_at)
    SELECT gen_random_uuid(), ${site}::uuid, true, now() - n * interval '2 minutes', now()
      FROM generate_series(5, ${PROBES}::int + 4) n`;
  await orm.$executeRaw`
    INSERT INTO probes (id, website_id, started_at)
    VALUES (gen_random_uuid(), ${site}::uuid, now() - interval '6 minutes'), (gen_random_uuid(), ${site}::uuid, now())`;
  await orm.$executeRawUnsafe('VACUUM (ANALYZE) probes');
});
afterAll(() => app.close());

test('abandoned probes are found by an index of those that have not ended, and the others are left alone', async () => {
  const adapter = new PrismaPg({ connectionString: app.database.url });
  const orm = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  const updates: { query: string; params: unknown[] }[] = [];
  orm.$on('query', ({ query, params }) => {
    if (query.startsWith('UPDATE')) updates.push({ query, params: JSON.parse(params) });
  });
  try {
    const services = { ...app.services, db: { ...app.services.db, orm } };
    const probes = createProbes(services as unknown as Parameters<typeof createProbes>[0]);
    await probes.cleanUp();
    expect(await orm.probe.count({ where: { ok: false } })).toBe(1);
    expect(await orm.probe.count({ where: { ok: null } })).toBe(1);
    expect(updates).toHaveLength(1);
    const [{ query, params }] = updates as [(typeof updates)[0]];
    const plan = await orm.$queryRawUnsafe<{ 'QUERY PLAN': string }[]>(`EXPLAIN ${query}`, ...params);
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('probes_unended_idx');
  } finally {
    await orm.$disconnect();
  }
});
