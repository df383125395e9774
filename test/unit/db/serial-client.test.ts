import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { SerialClient } from '../../../src/db/serial-client.js';
import { createEmptyDatabase } from '../../support/database.js';

const run = promisify(execFile);

/** A program of its own, since warnings come out of the process that a test runs in unseen. */
const PROGRAM = `
import { SerialClient } from ${JSON.stringify(new URL('../../../dist/modules/db/serial-client.js', import.meta.url))};
const client = new SerialClient({ connectionString: process.argv[1] });
await client.connect();
const answers = await Promise.all([1, 2, 3].map((n) => client.query('SELECT ' + n + ' AS n, pg_sleep(0.01)')));
console.log(JSON.stringify(answers.map(({ rows }) => rows[0].n)));
await client.end();`;

test('statements that are sent at once are answered in their order, without a warning', async () => {
  const { url } = await createEmptyDatabase();
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', PROGRAM, url]);
  expect({ answers: JSON.parse(stdout), stderr }).toEqual({ answers: [1, 2, 3], stderr: '' });
});

test('a statement that fails leaves the one behind it alone', async () => {
  const client = new SerialClient({ connectionString: (await createEmptyDatabase()).url });
  await client.connect();
  const [failed, next] = await Promise.allSettled([
    client.query('SELECT 1 / 0'),
    client.query('SELECT 2 AS number'),
  ]);
  await client.end();
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
  expect(next).toMatchObject({ status: 'fulfilled', value: { rows: [{ number: 2 }] } });
});
