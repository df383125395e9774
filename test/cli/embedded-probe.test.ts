import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.js';
import { freshDataDir, type Running, runFormgate } from '../support/formgate.js';

let dataDir: string;
let running: Running;
let demoHost: string;

beforeAll(async () => {
  dataDir = await freshDataDir();
  running = runFormgate(['start'], { DATA_DIR: dataDir, PORT: String(await freePort()) });
  const [, url] = await running.printed(/in a browser at (\S+)/);
  demoHost = new URL(url!).host;
});
afterAll(async () => {
  running.child.kill('SIGTERM');
  await running.finished;
});

const probe = () => runFormgate(['probe', demoHost], { DATA_DIR: dataDir }).finished;

test('formgate probe finds the port of the gateway that serves from the folder', async () => {
  const { code, stdout } = await probe();
  expect(stdout).toMatch(/^captcha +ok/m);
  expect(code).toBe(0);
});

test('formgate probe tests nothing while no gateway serves from the folder', async () => {
  running.child.kill('SIGTERM');
  await running.finished;
  expect(await probe()).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'No gateway is running: start it with formgate start.\n',
  });
});
