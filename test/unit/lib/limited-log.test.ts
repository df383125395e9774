import { expect, test } from '@jest/globals';
import { limitLog } from '../../../src/lib/telemetry/limited-log.js';

const full = new Error("OOM command not allowed when used memory > 'maxmemory'.");
const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

function openLog() {
  const lines: object[] = [];
  let now = 0;
  const log = { warn: (fields: object, message: string) => lines.push({ ...fields, message }) };
  return {
    lines,
    pass: (ms: number) => {
      now += ms;
    },
    write: limitLog(log as never, 'warn', () => now),
  };
}

test('six thousand failures of one cause are one line, and the next line a minute later counts them', () => {
  const { lines, pass, write } = openLog();
  for (let i = 0; i < 6_000; i++) write(full, 'Queue error', { queue: 'submission-email' });
  expect(lines).toEqual([
    { queue: 'submission-email', cause: 'memory_full', reason: full.message, message: 'Queue error' },
  ]);
  pass(60_000);
  write(full, 'Queue error');
  expect(lines[1]).toMatchObject({ cause: 'memory_full', repeated: 5_999 });
});

test('another cause and another message have a line of their own at once', () => {
  const { lines, write } = openLog();
  write(full, 'Queue error');
  write(refused, 'Queue error');
  write(refused, 'Request refused');
  expect(lines).toMatchObject([
    { cause: 'memory_full' },
    { cause: 'connection_refused' },
    { cause: 'connection_refused', message: 'Request refused' },
  ]);
});
