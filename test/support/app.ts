import { createApp } from '../../src/app.js';
import { type Config, readSettings } from '../../src/config.js';
import { serveHttp } from '../../src/http/server/serve.js';
import type { Clock } from '../../src/lib/clock.js';
import { createLogger, type Logger } from '../../src/lib/telemetry/logger.js';
import type { MailTimeouts } from '../../src/mail/mailer.js';
import type { Panel } from '../../src/panel.js';
import { createServices, type Services } from '../../src/services.js';
import { startWorker } from '../../src/worker.js';
import { watchConnections } from './connections.js';
import { watchAnswers } from './contract.js';
import { CONNECT_TIMEOUT_MS, createTestDatabase, type TestDatabase } from './database.js';
import { type SinkBehaviour, startSmtpSink } from './smtp.js';
import { eventually } from './wait.js';

type Sink = Awaited<ReturnType<typeof startSmtpSink>>;

export type TestApp = Readonly<{
  url: string;
  services: Services;
  database: TestDatabase;
  sink: Sink;
  close(): Promise<void>;
}>;

type Options = Readonly<{
  worker?: boolean;
  /** Instead of the worker's own, for the jobs that the test runs itself. */
  workerServices?: Partial<Services>;
  redisUrl?: string;
  clock?: Clock;
  /** Of the sessions of the database, instead of the server's. */
  databaseTimeZone?: string;
  connectTimeoutMs?: number;
  mailTimeouts?: MailTimeouts;
  log?: Logger;
  isDiskFull?: () => Promise<boolean>;
  env?: Record<string, string>;
  /** Of the SMTP server; may be changed while it runs. */
  smtp?: SinkBehaviour;
}>;

/** A configuration as the environment of a real installation would give it. */
export function testConfig(env: Record<string, string>): Config {
  const settings = readSettings({
    PORT: '0',
    LOG_LEVEL: 'silent',
    MAIL_FROM: 'Formgate <forms@formgate.test>',
    PUBLIC_URL: 'http://formgate.test',
    APP_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...env,
  });
  if (settings.embedded) throw new Error('DATABASE_URL is missing.');
  return settings;
}

/** The environment of a `formgate` command over the database and the SMTP server of an application. */
export const commandEnv = ({
  database,
  sink,
}: Pick<TestApp, 'database' | 'sink'>): Record<string, string> => ({
  DATABASE_URL: database.url,
  SMTP_URL: sink.url,
  MAIL_FROM: 'forms@formgate.test',
  PUBLIC_URL: 'http://formgate.test',
  APP_KEY: Buffer.alloc(32, 7).toString('base64'),
  LOG_LEVEL: 'silent',
});

/** The panel, loaded with the first request for it: that takes as long as all the rest of a gateway. */
function panelOnDemand(services: Services): Panel {
  let loading: Promise<Panel> | undefined;
  return {
    handler(request, response, next) {
      if (!/^\/graphql\b/.test(request.path)) return next();
      loading ??= import('../../src/panel.js').then(({ createPanel }) => createPanel(services));
      loading.then((panel) => panel.handler(request, response, next), next);
    },
    close: async () => (await loading)?.close(),
  };
}

/** Connects to the database; the modules that a file loads can hold the first attempt up beyond its time-out. */
const connect = ({ db }: Services) => eventually(() => db.orm.$queryRaw`SELECT 1`.catch(() => null));

/** A gateway over a database and an SMTP server of its own, with a worker where asked for. */
export async function startTestApp(options: Options = {}): Promise<TestApp> {
  const [database, sink] = await Promise.all([
    createTestDatabase(options.databaseTimeZone),
    startSmtpSink({ behaviour: options.smtp }),
  ]);
  const config = testConfig({
    DATABASE_URL: database.url,
    SMTP_URL: sink.url,
    ...(options.redisUrl && { REDIS_URL: options.redisUrl }),
    ...options.env,
  });
  const services = createServices(config, options.log ?? createLogger(config.logLevel), {
    clock: options.clock,
    mailTimeouts: options.mailTimeouts,
    isDiskFull: options.isDiskFull,
    connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
  });
  await connect(services);
  const running: { close(): Promise<void> }[] = [];
  const panel = panelOnDemand(services);
  const gateway = await serveHttp(createApp(services, panel), { ...config.http, setting: 'PORT' });
  running.push(gateway, panel);
  const unwatch = watchAnswers(gateway.url);
  const connections = watchConnections(gateway.url);
  if (options.worker) running.push(await startWorker({ ...services, ...options.workerServices }));
  return {
    url: gateway.url,
    services,
    database,
    sink,
    async close() {
      connections.endIdle();
      for (const part of running) await part.close();
      unwatch();
      connections.unwatch();
      await services.close();
      await sink.stop();
      await database.drop();
    },
  };
}
