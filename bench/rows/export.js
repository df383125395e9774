import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { logIn } from '../panel.js';

const SUBMISSIONS = 1_000_000;
const SAMPLE_EVERY_MS = 100;
const PATH = '/panel/exports/submissions.csv';

const residentMb = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/** Reads a CSV to its end without keeping it. @returns how many records it has; a quoted cell may hold lines. */
function countRecords(url, path, cookie) {
  return new Promise((resolve, reject) => {
    const outgoing = request(url + path, { headers: { cookie } }, (response) => {
      let records = 0;
      let isQuoted = false;
      response.on('data', (chunk) => {
        for (const byte of chunk) {
          if (byte === 0x22) isQuoted = !isQuoted;
          else if (byte === 0x0a && !isQuoted) records += 1;
        }
      });
      response.once('end', () =>
        response.statusCode === 200 ? resolve(records) : reject(response.statusCode),
      );
      response.once('error', reject);
    });
    outgoing.once('error', reject).end();
  });
}

/** By how much the gateway's memory grows while it exports a million submissions. */
export async function measure(stack) {
  const database = await stack.database({ submissions: SUBMISSIONS });
  const gateway = await stack.gateway(database);
  const cookie = await logIn(gateway.url, 'staff@seed.test');
  const [{ from }] = await database.query('SELECT max(created_at)::date::text AS from FROM submissions');
  await countRecords(gateway.url, `${PATH}?from=${from}`, cookie);

  const before = residentMb(gateway.pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentMb(gateway.pid));
  }, SAMPLE_EVERY_MS);
  const startedAt = performance.now();
  const records = await countRecords(gateway.url, PATH, cookie).finally(() => clearInterval(timer));
  const tookS = (performance.now() - startedAt) / 1000;
  await gateway.stop();
  if (records !== SUBMISSIONS + 1) throw new Error(`The export has ${records} lines.`);
  return [
    {
      path: 'export of 1,000,000, growth of RSS in MB',
      figure: most - before,
      atMost: 50,
      rounds: { before, tookS },
    },
  ];
}
