import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { addWebsite, createIntegrator, startApiApp } from '../support/integrator.js';

test('the commands of the integrators’ guide work as they are pasted', async () => {
  const app = await startApiApp();
  const { team, token, tokenId } = await createIntegrator(app.services);
  await addWebsite(app.services, team.id, { name: 'Corse', departments: ['2A'] });
  await addWebsite(app.services, team.id, { name: 'Paris', departments: ['75'] });
  const guide = await readFile(new URL('../../docs/integrators.md', import.meta.url), 'utf8');
  const [settings, ...commands] = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code!);
  expect(settings).toMatch(/^BASE_URL=.*\nTOKEN=.*\n$/);

  const script = ['set -eu', ...commands].join('\nprintf "\\n--8<--\\n"\n');
  const env = { PATH: process.env.PATH, BASE_URL: app.url, TOKEN: token };
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script], { env });
  expect(stderr).toBe('');
  const [, list, filtered, created, revoked, left, all] = stdout.split('\n--8<--\n');
  expect(JSON.parse(list!)).toMatchObject({ data: [{ name: 'Corse' }, { name: 'Paris' }] });
  expect(JSON.parse(filtered!)).toMatchObject({ data: [{ name: 'Corse' }] });
  expect(created).toMatch(/^\d+\|\w{48}\s*$/);
  expect(revoked).toBe('{"message":"Token revoked."}');
  expect(JSON.parse(left!).data).toEqual([expect.objectContaining({ name: 'Website sync, 2027' })]);
  expect(left).not.toContain(`"id":${tokenId},`);
  expect(all).toContain('have been revoked');
  await app.close();
});
