import { spawnSync } from 'node:child_process';
import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../../dist/modules/db/migration/migrate.js';
import { openCluster } from '../../../dist/modules/embedded/postgres/cluster.js';
import { migrateQueues } from '../../../dist/modules/queue/postgres-queues.js';

/** What a test run may lose with its machine needs no care for the disk. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '256MB',
  max_connections: '300',
};

/** The run's cluster, with its write-ahead log and a database for each file that is running. */
const ROOM_BYTES = 1024 ** 3;

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

/** Memory where there is enough: on a disk, copying the template takes up to half a second for each file. */
async function chooseFolder() {
  const memory = '/dev/shm';
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= ROOM_BYTES ? memory : tmpdir();
}

/** Starts the PostgreSQL of a test run, with a migrated template that every test database is a copy of. */
export default async function setUp() {
  // Where Debian keeps servers, also for an account that would not find them.
  process.env.PATH += ':/usr/sbin';
  lookForRedis();
  const directory = await mkdtemp(join(await chooseFolder(), 'formgate-test-'));
  const cluster = await openCluster({ directory: join(directory, 'postgres'), settings: SETTINGS });
  const client = new pg.Client({ connectionString: cluster.urlOf('postgres') });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE}`);
  await client.end();
  await migrate(cluster.urlOf(TEMPLATE));
  await migrateQueues(cluster.urlOf(TEMPLATE));
  process.env.TEST_FOLDER = directory;
  process.env.TEST_DATABASE_SERVER = cluster.urlOf('postgres');
  process.env.TEST_DATABASE_TEMPLATE = TEMPLATE;
  globalThis.testServer = { cluster, directory };
}
