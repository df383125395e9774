import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { INITDB, startDebianPostgres } from '../support/debian-postgres.js';
import { runFormgate } from '../support/formgate.js';
import { describeWith } from '../support/programs.js';

/** The command as the document gives it. */
const [command = ''] =
  /pg_dump --exclude-table-data=[^`]+/.exec(readFileSync('docs/scaling.md', 'utf8')) ?? [];

describeWith(
  INITDB,
  'psql',
  'createdb',
  'pg_dump',
  'pg_restore',
)('docs/scaling.md', () => {
  test('a dump without page views restores all else, and Formgate runs on it', async () => {
    expect(command).toBe('pg_dump --exclude-table-data=visits');
    const postgres = await startDebianPostgres();
    const folder = await mkdtemp(join(tmpdir(), 'dump-'));
    const file = join(folder, 'formgate.dump');
    const env = { PATH: process.env.PATH, ...postgres.env };
    const sh = (script: string) => execFileSync('sh', ['-euc', script], { env, encoding: 'utf8' });
    const psql = (database: string, statement: string) =>
      execFileSync('psql', ['-At', '-d', database, '-v', 'ON_ERROR_STOP=1', '-c', statement], {
        env,
        encoding: 'utf8',
      }).trim();
    const migrate = async (database: string, ...options: string[]) => {
      const address = `postgres://formgate:secret@127.0.0.1:${postgres.port}/${database}`;
      const { code, stdout, stderr } = await runFormgate(['migrate', ...options], {
        DATABASE_URL: address,
        SMTP_URL: 'smtp://127.0.0.1:1',
        MAIL_FROM: 'forms@formgate.test',
        PUBLIC_URL: 'http://formgate.test',
        APP_KEY: Buffer.alloc(32, 7).toString('base64'),
      }).finished;
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    };
    try {
      psql('postgres', "CREATE ROLE formgate LOGIN PASSWORD 'secret'");
      sh('createdb --owner=formgate formgate && createdb --owner=formgate copy');
      await migrate('formgate');
      psql(
        'formgate',
        `INSERT INTO plans (code, name) VALUES ('p', 'Plan');
         INSERT INTO teams (slug, name, plan_id) SELECT 'acme', 'Acme', id FROM plans;
         INSERT INTO websites (id, team_id, name, host, url, locale, email, time_zone, signature_key_cipher, updated_at)
         SELECT gen_random_uuid(), id, 'Acme', 'www.acme.test', 'https://www.acme.test/', 'en', 'desk@acme.test', 'UTC', 'x', now()
           FROM teams;
         INSERT INTO visits (id, website_id, visitor_hash, page_url)
         SELECT gen_random_uuid(), id, 'h', 'https://www.acme.test/' FROM websites`,
      );
      sh(`${command} --format=custom --file='${file}' formgate`);
      sh(`pg_restore --exit-on-error --no-owner --role=formgate --dbname=copy '${file}'`);
      const counts = 'SELECT (SELECT count(*) FROM websites), (SELECT count(*) FROM visits)';
      expect([psql('formgate', counts), psql('copy', counts)]).toEqual(['1|1', '1|0']);
      expect(await migrate('copy', '--status')).not.toMatch(/pending/i);
    } finally {
      await postgres.stop();
      await rm(folder, { recursive: true });
    }
  });
});
