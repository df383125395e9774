import { createApp } from './app.js';
import { serveHttp } from './http/server/serve.js';
import { createPanel } from './panel.js';
import type { Services } from './services.js';

export type Gateway = Readonly<{ url: string; close(): Promise<void> }>;

/** Serves HTTP until it is closed; closing lets the requests in flight finish. */
export async function startGateway(services: Services): Promise<Gateway> {
  const { config, log } = services;
  const panel = await createPanel(services);
  const { url, close } = await serveHttp(createApp(services, panel), { ...config.http, setting: 'PORT' });
  log.info({ url }, 'Gateway listens');
  if (config.redisUrl === null) {
    log.info('Without REDIS_URL limits are counted in memory: run one gateway process only');
  }
  return {
    url,
    async close() {
      // A probe in flight would keep its request open for longer than a stop may last.
      await Promise.all([close(), services.probes.close()]);
      await panel.close();
      log.info('Gateway stopped');
    },
  };
}
