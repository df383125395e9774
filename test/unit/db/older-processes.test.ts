import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createDb, type Db } from '../../../src/db/client.js';
import { listen } from '../../../src/db/listen.js';
import { createOlderProcesses } from '../../../src/db/older-processes.js';
import { createLogger } from '../../../src/lib/telemetry/logger.js';
import { createEmptyDatabase } from '../../support/database.js';

const CHANNEL = 'catalogue_changes';

let url: string;
let db: Db;

beforeAll(async () => {
  url = (await createEmptyDatabase()).url;
  db = createDb(url);
});

afterAll(() => db?.close());

test.each(['', 'agency'])(
  'a process of today is no older one, whatever its address names it: %j',
  async (name) => {
    const address = new URL(url);
    if (name !== '') address.searchParams.set('application_name', name);
    let onListening: () => void = () => undefined;
    const isListening = new Promise<void>((resolve) => {
      onListening = resolve;
    });
    const listener = listen({
      databaseUrl: address.href,
      channel: CHANNEL,
      log: createLogger('silent'),
      onListening,
      onMessage: () => undefined,
    });
    try {
      await isListening;
      expect(await createOlderProcesses({ db }).run()).toBe(false);
    } finally {
      await listener.close();
    }
  },
);

test('a process that gives its session no name is an older one', async () => {
  const older = new pg.Client({ connectionString: url });
  await older.connect();
  try {
    await older.query(`LISTEN "${CHANNEL}"`);
    expect(await createOlderProcesses({ db }).run()).toBe(true);
  } finally {
    await older.end();
  }
});
