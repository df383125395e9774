import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

/** Just what is judged of a message, and far more than that. */
const LENGTHS = [9_900, 200_000];

/** What a stranger may send again and again in a text, and what ends it: patterns go back over it from each place. */
const FRAGMENTS = [
  ['aB', '!'],
  ['aBCa', '!'],
  ['bcdfghj', '!'],
  ['risparmi', ''],
  ['save ', 'x'],
  ['1', 'x'],
  ['1,', 'x'],
  ['$1', 'x'],
  ['http://!', 'x'],
  ['!', 'x'],
  ['a.', '!'],
  ['www.', '!'],
  ['<a ', '!'],
  ['⒛', ''],
  ['ﷺ', ''],
  ['\u0301', 'x'],
  ["a'", '!'],
  ['we are a ', '!'],
] as const;

/** Judges all of them in a process that can be ended: a pattern that goes back for days would end no test. */
const PROGRAM = `
import { featuresOf } from '../../../dist/modules/spam/classifier.js';
import { readMessage } from '../../../dist/modules/spam/message.js';
import { modelOdds } from '../../../dist/modules/spam/model/model.js';
import { tracesOf } from '../../../dist/modules/spam/traces.js';
import { judge } from '../../../dist/modules/spam/verdict.js';
const seenElsewhere = { text: 0, email: 0, phone: 0, link: 0 };
const blocked = { sender: null, domain: null, word: null };
const [fragments, lengths] = JSON.parse(process.argv[1]);
for (const [fragment, end] of fragments) for (const length of lengths) {
  const text = fragment.repeat(length / fragment.length) + end;
  const sent = { values: {}, undeclared: { text }, emails: [], locale: 'fr', host: 'www.garage.test' };
  const message = readMessage(sent, []);
  featuresOf(message);
  tracesOf(message);
  judge(message, { seenElsewhere, blocked, signatureAgeS: null, logOdds: null, modelOdds: modelOdds(message) });
  console.log(JSON.stringify(fragment));
}`;

test('no message holds up the worker that judges it', () => {
  const { stdout } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      PROGRAM.replaceAll('../../../', new URL('../../../', import.meta.url).href),
      JSON.stringify([FRAGMENTS, LENGTHS]),
    ],
    { encoding: 'utf8', timeout: 60_000 },
  );
  const judged = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  expect(judged).toEqual(FRAGMENTS.flatMap(([fragment]) => LENGTHS.map(() => fragment)));
});
