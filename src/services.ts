import { createAccounts } from './accounts/accounts.service.js';
import { createAuditLog } from './audit/audit-log.service.js';
import { createCredentials } from './auth/credentials.service.js';
import { createLogin } from './auth/login.service.js';
import { createOneTimeLinks } from './auth/one-time-links.js';
import { createPolicy } from './auth/policy.js';
import { createSessions } from './auth/sessions.service.js';
import { createChangeFeed } from './cache/change-feed.js';
import { createCaptcha } from './captcha/captcha.service.js';
import { createChains } from './captcha/chains.service.js';
import { createIncidentLog } from './captcha/incident-log.service.js';
import { createIncidents } from './captcha/incidents.js';
import { createVerdictCounts } from './captcha/verdict-counts.js';
import type { Config } from './config.js';
import { createDb } from './db/client.js';
import { createSchemaCheck } from './db/migration/schema-check.js';
import { createManagedForms } from './forms/editing/managed-forms.service.js';
import { createPlacements } from './forms/placements/placements.service.js';
import { createForms } from './forms/serving/forms.service.js';
import { createLimiter } from './http/rate-limit.js';
import { createReadiness } from './http/readiness.js';
import { createBackground } from './lib/background.js';
import { createCipher } from './lib/cipher.js';
import { type Clock, systemClock } from './lib/clock.js';
import type { Logger } from './lib/logger.js';
import { createRedis } from './lib/redis.js';
import { CONNECTIONS_EACH, createDispatch } from './mail/dispatch.js';
import { createMailer, type MailTimeouts } from './mail/mailer.js';
import { createAccountEmails } from './notifications/account-emails.service.js';
import { createNotifications } from './notifications/notifications.service.js';
import { measureProgress } from './notifications/progress.js';
import { createQuotaNotices } from './notifications/quota-notices.service.js';
import { createPlans } from './plans/plans.service.js';
import { createUsage } from './plans/usage.js';
import { createQueues } from './queue/queues.js';
import { createExports } from './submissions/export/export.service.js';
import { createHandling } from './submissions/inbox/handling.service.js';
import { createInbox } from './submissions/inbox/inbox.service.js';
import { createSubmissionLog } from './submissions/inbox/submission-log.service.js';
import { createPersons } from './submissions/person/person.service.js';
import { createStatistics } from './submissions/statistics/statistics.service.js';
import { createSubmit } from './submissions/submit/submit.js';
import { createInvitationAnswers } from './teams/invitation-answers.service.js';
import { createInvitations } from './teams/invitations.service.js';
import { createMembers } from './teams/members.service.js';
import { createTeams } from './teams/teams.service.js';
import { createTokens, revokeAll } from './tokens/tokens.service.js';
import { createVisitStatistics } from './visits/visit-statistics.service.js';
import { createVisits } from './visits/visits.service.js';
import { createDirectory } from './websites/directory.service.js';
import { createManagedWebsites } from './websites/managed-websites.service.js';
import { createSignatures } from './websites/signatures.service.js';
import { createWebsites } from './websites/websites.service.js';

export type Services = ReturnType<typeof createServices>;

type Options = { clock?: Clock; statementTimeoutMs?: number; mailTimeouts?: MailTimeouts };

/** The composition root: every service once, each after what it uses. Nothing connects before its first use. */
export function createServices(
  config: Config,
  log: Logger,
  { clock = systemClock, statementTimeoutMs, mailTimeouts }: Options = {},
) {
  const db = createDb(config.databaseUrl, { statementTimeoutMs });
  const panelDb = createDb(config.databaseUrl, { use: 'panel', statementTimeoutMs });
  const schema = createSchemaCheck({ db, clock });
  const cipher = createCipher(config.appKey);
  const redis = config.redisUrl ? createRedis(config.redisUrl, log, 'commands') : null;
  const limiter = createLimiter({ redis, log });
  const queues = createQueues({ redisUrl: config.redisUrl, databaseUrl: config.databaseUrl, log });
  const readiness = createReadiness({ db, schema, queues, clock });
  const { smtpUrl, mailFrom, worker } = config;
  const mailer = createMailer({
    ...{ smtpUrl, from: mailFrom, timeouts: mailTimeouts },
    connections: worker.concurrency * CONNECTIONS_EACH,
  });
  const dispatch = createDispatch({ mailer, connections: worker.concurrency, log });
  const background = createBackground({ log });

  const sessions = createSessions({ db, clock, log });
  const login = createLogin({ db, sessions });
  const { appKey, publicUrl } = config;
  const oneTimeLinks = createOneTimeLinks({ db, clock, appKey, publicUrl });
  const credentials = createCredentials({ db, sessions, links: oneTimeLinks, log });
  const accounts = createAccounts({ db: panelDb, sessions, links: oneTimeLinks });
  const policy = createPolicy({ db: panelDb });
  const auditLog = createAuditLog({ db: panelDb });
  const plans = createPlans({ db: panelDb });
  const usage = createUsage({ db: panelDb, clock });
  const teams = createTeams({
    db: panelDb,
    revokeTokens: (tx, bearer, actor) => revokeAll(tx, bearer, actor, clock()),
  });
  const members = createMembers({ db: panelDb, teams });
  const invitations = createInvitations({ db: panelDb, clock, links: oneTimeLinks });
  const invitationAnswers = createInvitationAnswers({ db, clock, teams, sessions, links: oneTimeLinks });
  const tokens = createTokens({ db, clock, log });
  const changeFeed = createChangeFeed({ db, databaseUrl: config.databaseUrl, log });
  const websites = createWebsites({ db, cipher, changeFeed });
  const signatures = createSignatures({ db, cipher, clock, ttlS: config.signatureTtlS });
  const visits = createVisits({ db });
  const directory = createDirectory({ db, redis, clock });
  const forms = createForms({ db, changeFeed, websites, locales: config.locales, log });
  const incidents = createIncidents({ db, clock, log });
  const verdictCounts = createVerdictCounts({ db, clock, log });
  const captcha = createCaptcha({ db, cipher, incidents, verdictCounts, clock, config });
  const notifications = createNotifications({
    ...{ db, queues, dispatch, forms, clock, background, log },
    connections: worker.concurrency,
  });
  const quotaNotices = createQuotaNotices({ db, dispatch, log });
  const accountEmails = createAccountEmails({ db, dispatch, links: oneTimeLinks, log });
  const submit = createSubmit({
    ...{ db, limiter, signatures, forms, captcha, notifications, clock },
    locales: config.locales,
  });
  const inbox = createInbox({ db: panelDb });
  const submissionLog = createSubmissionLog({ db: panelDb });
  const handling = createHandling({ db: panelDb, notifications, clock });
  const persons = createPersons({ db: panelDb });
  const statistics = createStatistics({ db: panelDb, clock });
  const exports = createExports({ db: panelDb, inbox });

  const managedWebsites = createManagedWebsites({ db: panelDb, cipher });
  const managedForms = createManagedForms({ db: panelDb });
  const placements = createPlacements({ db: panelDb });
  const chains = createChains({ db: panelDb, cipher, config });
  const incidentLog = createIncidentLog({ db: panelDb });
  const visitStatistics = createVisitStatistics({ db: panelDb });

  return {
    ...{ config, log, clock, db, readiness, cipher, limiter, queues, mailer, dispatch, background },
    ...{ sessions, login, oneTimeLinks, credentials, accounts, policy, auditLog },
    ...{ plans, usage, teams, members, invitations, invitationAnswers, tokens },
    ...{ changeFeed, websites, directory, signatures, visits, forms, captcha, verdictCounts },
    ...{ notifications, quotaNotices, accountEmails, submit },
    ...{ inbox, submissionLog, handling, persons, exports, statistics },
    ...{ managedWebsites, managedForms, placements, chains, incidentLog, visitStatistics },

    /** How the notifications of the whole installation stand; also brings the gauges up to date. */
    measure: () => measureProgress({ db, queues }),

    /** Waits for work in flight, then closes every connection. */
    async close(): Promise<void> {
      const pending = [notifications, incidents, verdictCounts, credentials];
      await Promise.all(pending.map((service) => service.settled()));
      await queues.close();
      await mailer.close();
      await changeFeed.close();
      redis?.disconnect();
      await Promise.all([panelDb.close(), db.close()]);
    },
  };
}
