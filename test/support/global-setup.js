import { spawnSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openCluster } from '../../dist/embedded/cluster.js';
import { migrate } from '../../dist/lib/migrations.js';
import { migrateQueues } from '../../dist/queue/queues.js';

/** What a test run may lose with its machine needs no care for the disk. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };

const TEMPLATE = 'formgate_template';

function lookForRedis() {
  const isThere = process.env.REDIS_URL || spawnSync('redis-server', ['--version']).status === 0;
  if (isThere) {
    process.env.TEST_HAS_REDIS = '1';
    return;
  }
  const missing = 'REDIS_URL is not set and there is no redis-server on the PATH';
  if (process.env.REQUIRE_REDIS) throw new Error(missing);
  console.warn(`\n*** ${missing}: THE TESTS THAT NEED REDIS ARE LEFT OUT. ***\n`);
}

/** Starts the PostgreSQL of a test run, with a migrated template that every test database is a copy of. */
export default async function setUp() {
  lookForRedis();
  const directory = await mkdtemp(join(tmpdir(), 'formgate-test-'));
  const cluster = await openCluster({ directory: join(directory, 'postgres'), settings: SETTINGS });
  const client = new pg.Client({ connectionString: cluster.urlOf('postgres') });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE}`);
  await client.end();
  await migrate(cluster.urlOf(TEMPLATE));
  await migrateQueues(cluster.urlOf(TEMPLATE));
  process.env.TEST_DATABASE_SERVER = cluster.urlOf('postgres');
  process.env.TEST_DATABASE_TEMPLATE = TEMPLATE;
  globalThis.testServer = { cluster, directory };
}
