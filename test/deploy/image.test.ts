import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { validate } from 'dockerfile-utils';
import { VERSION } from '../../src/lib/telemetry/version.js';
import { readContext, readCopy, readDockerfile } from '../support/image.js';

test('the Dockerfile has no fault that its linter knows', () => {
  expect(validate(readFileSync('Dockerfile', 'utf8'))).toEqual([]);
});

test('the image states the version of the package', () => {
  expect(readFileSync('Dockerfile', 'utf8')).toContain(`org.opencontainers.image.version="${VERSION}"`);
});

test('its last stage runs an account other than root, named by its number', async () => {
  const [, account] = (await readDockerfile()).filter(([name]) => name === 'USER').at(-1)!;
  expect(account).toMatch(/^[1-9]\d*:[1-9]\d*$/);
});

test('the context of the build is exactly what the Dockerfile copies from it', async () => {
  const copies = (await readDockerfile())
    .filter(([name]) => name === 'COPY')
    .map(([, rest]) => readCopy(rest));
  const copied = copies.filter(({ from }) => from === undefined).flatMap(({ sources }) => sources);
  const { included } = await readContext();
  expect([...new Set(copied)].sort()).toEqual(included.sort());
});
