import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { ERRORS } from '../../src/errors.openapi.js';
import { createOpenApi } from '../../src/openapi.js';

const document = createOpenApi({ publicUrl: 'https://forms.agency.test' });

test('the linter reports nothing about the document', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // The interface has /websites/by-department/{code} beside /websites/{website}/…; no UUID is that word.
      'no-ambiguous-paths': 'off',
      // Health checks and the document itself take nothing that could be refused.
      'operation-4xx-response': 'off',
    },
  });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    [],
  );
});

test('the linter reports an example that its schema refuses', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const source = JSON.stringify(document).replace('"maxnumber":100000', '"maxnumber":"many"');
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
  expect(problems.map(({ ruleId }) => ruleId)).toContain('no-invalid-media-type-examples');
});

test('the guide has every error of the document in its table', async () => {
  const guide = await readFile(new URL('../../docs/integrators.md', import.meta.url), 'utf8');
  const rows = guide.split('\n').filter((line) => /^\| \d{3} /.test(line));
  // Those whose text varies are named by their status alone.
  const fixed = Object.values(ERRORS).filter(({ answer }) => ![400, 415].includes(answer.status));
  const missing = fixed.filter(({ answer: { status, body } }) => {
    const told = 'error' in body ? String(body.error) : String(body.message).replace('team:read', '…');
    return !rows.some((row) => row.startsWith(`| ${status} `) && row.includes(`\`${told}\``));
  });
  expect(missing.map(({ answer }) => [answer.status, answer.body])).toEqual([]);
  for (const status of [400, 415]) expect(rows.some((row) => row.startsWith(`| ${status} `))).toBe(true);
});
