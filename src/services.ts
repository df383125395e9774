import type { Config } from './config.js';
import { createForms } from './forms/forms.service.js';
import { createCipher } from './lib/cipher.js';
import { type Clock, systemClock } from './lib/clock.js';
import type { Logger } from './lib/logger.js';
import { createDatabase } from './lib/prisma.js';
import { createDispatch } from './mail/dispatch.js';
import { createMailer } from './mail/mailer.js';
import { createNotifications } from './notifications/notifications.service.js';
import { measureProgress } from './notifications/progress.js';
import { createQuotaNotices } from './notifications/quota-notices.service.js';
import { createQueues } from './queue/queues.js';
import { createSubmissions } from './submissions/submissions.service.js';
import { createTeams } from './teams/teams.service.js';
import { createTokens, revokeAll } from './tokens/tokens.service.js';
import { createWebsites } from './websites/websites.service.js';

export type Services = ReturnType<typeof createServices>;

/** The composition root: every service once, each after what it uses. Nothing connects before its first use. */
export function createServices(config: Config, log: Logger, clock: Clock = systemClock) {
  const db = createDatabase(config.databaseUrl);
  const cipher = createCipher(config.appKey);
  const queues = createQueues({ redisUrl: config.redisUrl, databaseUrl: config.databaseUrl, log });
  const { smtpUrl, mailFrom, worker } = config;
  const mailer = createMailer({ smtpUrl, from: mailFrom, connections: worker.concurrency });
  const dispatch = createDispatch({ mailer, log });

  const teams = createTeams({
    revokeTokens: (tx, bearer, actor) => revokeAll(tx, bearer, actor, clock()),
  });
  const tokens = createTokens({ db, clock, log });
  const websites = createWebsites({ db });
  const forms = createForms({ db });
  const notifications = createNotifications({ db, queues, dispatch, forms, clock, log });
  const quotaNotices = createQuotaNotices({ db, dispatch, log });
  const submissions = createSubmissions({ db, notifications, clock, locales: config.locales });

  return {
    ...{ config, log, clock, db, cipher, queues, mailer, dispatch },
    ...{ teams, tokens, websites, forms, notifications, quotaNotices, submissions },

    /** How the notifications of the whole installation stand; also brings the gauges up to date. */
    measure: () => measureProgress({ db, queues }),

    /** Lets work in hand finish, then closes every connection. */
    async close(): Promise<void> {
      await notifications.settled();
      await queues.close();
      await mailer.close();
      await db.$disconnect();
    },
  };
}
