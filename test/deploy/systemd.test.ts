import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runProgram } from '../support/formgate.js';
import { describeWith } from '../support/programs.js';
import { readUnit } from '../support/units.js';
import { READ_NAMES, SECRETS, STOP_TIMEOUT_S } from '../support/variables.js';

const FOLDER = 'deploy/systemd';
const NAMES = ['formgate-gateway@3000', 'formgate-worker@9090', 'formgate-migrate@0.4.0'];

describeWith('systemd-analyze')('systemd', () => {
  /** The units in a folder of their own, with this machine's Node. */
  const folder = mkdtempSync(join(tmpdir(), 'units-'));
  cpSync(FOLDER, folder, { recursive: true });
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.service'))) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace('/usr/bin/node', process.execPath));
  }
  const analyze = (...args: string[]) =>
    runProgram(['systemd-analyze', ...args], { env: { SYSTEMD_UNIT_PATH: `${folder}:` } }).finished;

  test.each(NAMES)('knows every setting of %s', async (name) => {
    expect(await analyze('verify', '--man=no', `${name}.service`)).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  test.each(NAMES)('finds that %s exposes little', async (name) => {
    const { code, stdout } = await analyze('security', '--offline=yes', '--threshold=15', `${name}.service`);
    expect({ code, summary: stdout.split('\n').at(-2) }).toMatchObject({ code: 0 });
  });
});

test.each(NAMES)('%s sets only variables that Formgate reads, its secrets among its credentials', (name) => {
  const { environment, credentials } = readUnit(name);
  const unknown = Object.keys(environment).filter((each) => !['NODE_ENV', ...READ_NAMES].includes(each));
  expect(unknown).toEqual([]);
  const secrets = Object.entries(environment).filter(([each]) => each.endsWith('_FILE'));
  expect(secrets.map(([, path]) => path)).toEqual(Object.keys(credentials).map((each) => `%d/${each}`));
});

test.each(NAMES)('%s has time for what a stop takes at most', (name) => {
  expect(readUnit(name).timeoutStopS).toBeGreaterThan(STOP_TIMEOUT_S);
});

test('the command of an installation reads every secret that Formgate knows, the units those always there', () => {
  const script = readFileSync(join(FOLDER, 'formgate'), 'utf8');
  const read = /^for secret in ([^;]+); do$/m.exec(script)![1]!.split(/[\s\\]+/);
  const variables = read.map((name) => name.replaceAll('-', '_').toUpperCase());
  expect(variables.sort()).toEqual([...SECRETS].sort());
  const { credentials, environmentFile } = readUnit(NAMES[0]!);
  for (const [name, file] of Object.entries(credentials)) expect(file).toBe(`/etc/formgate/${name}`);
  expect(read).toEqual(expect.arrayContaining(Object.keys(credentials)));
  expect(script).toContain(`"$config/${environmentFile.split('/').at(-1)}"`);
});
