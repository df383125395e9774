import type { Express } from 'express';
import type { Db } from '../db/client.js';
import type { SchemaCheck } from '../db/migration/schema-check.js';
import { VERSION } from '../lib/version.js';

type Services = { db: Db; schema: SchemaCheck; queues: { isReady(): Promise<boolean> } };

/**
 * Adds `GET /healthz`, the liveness check with the version, and `GET /readyz`, the readiness check, which names the state of each
 * dependency. A database that lacks a migration of this process is `behind`; one that a later version has migrated is
 * `ok`.
 */
export function serveHealth(app: Express, { db, schema, queues }: Services): void {
  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok', version: VERSION });
  });

  app.get('/readyz', async (_request, response) => {
    const [database, queue] = await Promise.all([
      db.orm.$queryRaw`SELECT 1`
        .then(() => schema.isCurrent())
        .then(
          (isCurrent) => (isCurrent ? 'ok' : 'behind'),
          () => 'away',
        ),
      queues.isReady().then((isReady) => (isReady ? 'ok' : 'away')),
    ]);
    response.status(database === 'ok' && queue === 'ok' ? 200 : 503).json({ database, queue });
  });
}
