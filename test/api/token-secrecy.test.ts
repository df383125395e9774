import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { generateSecret } from '../../src/tokens/token-secret.js';
import { dumpTables } from '../support/database.js';
import { addWebsite, call, createIntegrator, startApiApp } from '../support/integrator.js';

test('neither the database nor the log ever holds the secret of a token', async () => {
  const lines: string[] = [];
  // Nothing is redacted here: the code itself must not log what it may not.
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const app = await startApiApp({ log });
  const { teamId, token } = await createIntegrator(app.services);
  const { id } = await addWebsite(app.services, teamId, { departments: ['2A'] });
  const guessed = `1|${generateSecret()}`;
  const values = [token, guessed];

  for (const value of [token, guessed]) {
    const options = { token: value };
    await call(app.url, 'GET', '/tokens', options);
    const created = await call(app.url, 'POST', '/tokens', { ...options, body: { name: 'Another' } });
    values.push((created.body as { token?: string }).token ?? token);
    await call(app.url, 'POST', '/tokens', { ...options, body: `{"token":"${value}"` });
    await call(app.url, 'POST', '/tokens', { ...options, body: { name: 'a'.repeat(300) } });
    await call(app.url, 'GET', '/websites', options);
    await call(app.url, 'GET', `/websites/by-department/${encodeURIComponent(value)}`, options);
    await call(app.url, 'DELETE', `/tokens/${encodeURIComponent(value)}`, options);
    await call(app.url, 'POST', `/websites/${id}/forms/contact/submit`, {
      ...options,
      body: { email: 'a@b.test' },
    });
    await call(app.url, 'GET', `/nothing?token=${encodeURIComponent(value)}`, options);
  }
  await call(app.url, 'DELETE', '/tokens', { token });
  await app.services.db.orm.$executeRaw`DROP TABLE memberships CASCADE`;
  expect((await call(app.url, 'GET', '/tokens', { token })).status).toBe(500);

  const dump = JSON.stringify(await dumpTables(app.database.url));
  const written = lines.join('');
  expect(lines.length).toBeGreaterThan(15);
  expect(dump).toContain('Another');
  for (const value of values) {
    const secret = value.split('|')[1]!;
    for (const form of [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64'),
    ]) {
      expect(dump).not.toContain(form);
      expect(written).not.toContain(form);
    }
  }
  await app.close();
});
