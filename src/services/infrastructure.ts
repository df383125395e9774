import { BACKFILLS } from '../backfills.js';
import { createChangeFeed } from '../cache/change-feed.js';
import type { Config } from '../config.js';
import { createAppKeyCheck } from '../db/app-key.js';
import { createBackfills } from '../db/backfill/backfills.service.js';
import { createDb } from '../db/client.js';
import { createSchemaCheck } from '../db/migration/schema-check.js';
import { createOlderProcesses } from '../db/older-processes.js';
import { createReadiness } from '../http/health/readiness.js';
import { createLimiter } from '../http/limits/rate-limit.js';
import { createBackground } from '../lib/background.js';
import { type Clock, systemClock } from '../lib/clock.js';
import { createCipher } from '../lib/crypto/cipher.js';
import { createKeyring } from '../lib/crypto/keyring.js';
import { createOutbound } from '../lib/outbound/outbound.js';
import { createRedis } from '../lib/redis.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { CONNECTIONS_EACH, createDispatch } from '../mail/dispatch.js';
import { createMailer, type MailTimeouts } from '../mail/mailer.js';
import { createServerCheck } from '../mail/server-check.js';
import { createQueues } from '../queue/queues.js';

export type Infrastructure = ReturnType<typeof createInfrastructure>;

export type Options = {
  clock?: Clock;
  statementTimeoutMs?: number;
  /** Of a connection to PostgreSQL, and of a check for changes. */
  connectTimeoutMs?: number;
  mailTimeouts?: MailTimeouts;
  /** Tells whether the disk of the database is all but full, where this process can know. */
  isDiskFull?: () => Promise<boolean>;
};

/** Creates the ways to PostgreSQL, Redis, the mail server and other hosts, with their keys, limits and checks. */
export function createInfrastructure(
  config: Config,
  log: Logger,
  { clock = systemClock, statementTimeoutMs, connectTimeoutMs, mailTimeouts, isDiskFull }: Options,
) {
  const { databaseUrl, directDatabaseUrl } = config;
  const isPooled = databaseUrl !== directDatabaseUrl;
  const connecting = { isPooled, statementTimeoutMs, connectTimeoutMs };
  const db = createDb(databaseUrl, connecting);
  const panelDb = createDb(databaseUrl, { ...connecting, use: 'panel' });
  const schema = createSchemaCheck({ db });
  const keyring = createKeyring(config.appKey, config.appKeyPrevious);
  const cipher = createCipher(keyring);
  const appKeyCheck = createAppKeyCheck({ db, keyring, cipher, log });
  const redis = config.redisUrl ? createRedis(config.redisUrl, log, 'commands') : null;
  const limiter = createLimiter({ redis, log });
  const queues = createQueues({ redisUrl: config.redisUrl, databaseUrl: directDatabaseUrl, log });
  const readiness = createReadiness({ db, schema, queues, isDiskFull });
  const { smtpUrl, mailFrom, worker } = config;
  const mailer = createMailer({
    smtpUrl,
    from: mailFrom,
    timeouts: mailTimeouts,
    connections: worker.concurrency * CONNECTIONS_EACH,
  });
  const dispatch = createDispatch({ mailer, connections: worker.concurrency, log });
  const mailServer = createServerCheck({ dispatch, smtpUrl });
  const background = createBackground({ log });
  const backfills = createBackfills({ db, log, registry: BACKFILLS });
  const changeFeed = createChangeFeed({
    db,
    databaseUrl: directDatabaseUrl,
    log,
    checkTimeoutMs: connectTimeoutMs,
  });
  const outbound = createOutbound(config.outboundAllow);
  const olderProcesses = createOlderProcesses({ db });

  return {
    config,
    log,
    clock,
    db,
    panelDb,
    redis,
    keyring,
    cipher,
    appKeyCheck,
    changeFeed,
    backfills,
    olderProcesses,
    limiter,
    queues,
    readiness,
    mailer,
    dispatch,
    mailServer,
    background,
    outbound,
  };
}
