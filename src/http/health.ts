import type { Express } from 'express';
import type { Database } from '../lib/prisma.js';

type Services = { db: Database; queues: { isReady(): Promise<boolean> } };

/**
 * Adds `GET /healthz`: the process lives. `GET /readyz`: what it depends on answers, each named with its state.
 */
export function serveHealth(app: Express, { db, queues }: Services): void {
  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });

  app.get('/readyz', async (_request, response) => {
    const [database, queue] = await Promise.all([
      db.$queryRaw`SELECT 1`.then(
        () => true,
        () => false,
      ),
      queues.isReady(),
    ]);
    const state = (ok: boolean) => (ok ? 'ok' : 'away');
    response.status(database && queue ? 200 : 503).json({ database: state(database), queue: state(queue) });
  });
}
