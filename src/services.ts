import type { Config } from './config.js';
import { createForms } from './forms/forms.service.js';
import { createLimiter } from './http/rate-limit.js';
import { createCipher } from './lib/cipher.js';
import { type Clock, systemClock } from './lib/clock.js';
import type { Logger } from './lib/logger.js';
import { createDatabase } from './lib/prisma.js';
import { createRedis } from './lib/redis.js';
import { createMailer } from './mail/mailer.js';
import { createNotifications } from './notifications/notifications.service.js';
import { createQueues } from './queue/queues.js';
import { createSubmissions } from './submissions/submissions.service.js';
import { createTeams } from './teams/teams.service.js';
import { createTokens, revokeAll } from './tokens/tokens.service.js';
import { createDirectory } from './websites/directory.service.js';
import { createWebsites } from './websites/websites.service.js';

export type Services = ReturnType<typeof createServices>;

/** The composition root: every service once, each after what it uses. Nothing connects before its first use. */
export function createServices(config: Config, log: Logger, clock: Clock = systemClock) {
  const db = createDatabase(config.databaseUrl);
  const cipher = createCipher(config.appKey);
  const redis = config.redisUrl ? createRedis(config.redisUrl, log, 'commands') : null;
  const limiter = createLimiter({ redis, log });
  const queues = createQueues({ redisUrl: config.redisUrl, databaseUrl: config.databaseUrl, log });
  const mailer = createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom });

  const teams = createTeams({
    revokeTokens: (tx, bearer, actor) => revokeAll(tx, bearer, actor, clock()),
  });
  const tokens = createTokens({ db, clock, log });
  const websites = createWebsites({ db });
  const directory = createDirectory({ db, redis, clock });
  const forms = createForms({ db });
  const notifications = createNotifications({ db, queues, mailer, forms, clock, log });
  const submissions = createSubmissions({ db, notifications, clock, locales: config.locales });

  return {
    ...{ config, log, clock, db, cipher, limiter, queues, mailer },
    ...{ teams, tokens, websites, directory, forms, notifications, submissions },

    /** Lets work in hand finish, then closes every connection. */
    async close(): Promise<void> {
      await notifications.settled();
      await queues.close();
      await mailer.close();
      redis?.disconnect();
      await db.$disconnect();
    },
  };
}
