import { createAccounts } from './accounts/accounts.service.js';
import { createAuditLog } from './audit/audit-log.queries.js';
import { createCredentials } from './auth/credentials.service.js';
import { createLogin } from './auth/login.service.js';
import { createOneTimeLinks } from './auth/one-time-links.js';
import { createPolicy } from './auth/policy.js';
import { createSessions } from './auth/sessions.service.js';
import { BACKFILLS } from './backfills.js';
import { createChangeFeed } from './cache/change-feed.js';
import { createCaptcha } from './captcha/captcha.service.js';
import { createChains } from './captcha/editing/chains.service.js';
import { createIncidentLog } from './captcha/incidents/incident-log.queries.js';
import { createIncidents } from './captcha/incidents/incidents.js';
import { createVerdictCounts } from './captcha/verdict-counts.js';
import type { Config } from './config.js';
import { createAppKeyCheck } from './db/app-key.js';
import { createBackfills } from './db/backfill/backfills.service.js';
import { createDb } from './db/client.js';
import { createSchemaCheck } from './db/migration/schema-check.js';
import { createManagedForms } from './forms/editing/managed-forms.service.js';
import { createFormVersions } from './forms/history/form-versions.service.js';
import { createPlacements } from './forms/placements/placements.service.js';
import { createForms } from './forms/serving/forms.service.js';
import { createReadiness } from './http/health/readiness.js';
import { createLimiter } from './http/limits/rate-limit.js';
import { createBackground } from './lib/background.js';
import { type Clock, systemClock } from './lib/clock.js';
import { createCipher } from './lib/crypto/cipher.js';
import { createKeyring } from './lib/crypto/keyring.js';
import { createOutbound } from './lib/outbound/outbound.js';
import { createRedis } from './lib/redis.js';
import type { Logger } from './lib/telemetry/logger.js';
import { CONNECTIONS_EACH, createDispatch } from './mail/dispatch.js';
import { createMailer, type MailTimeouts } from './mail/mailer.js';
import { createAccountEmails } from './notifications/account-email/account-emails.service.js';
import { createHeldEmails } from './notifications/held/held-emails.service.js';
import { createNotifications } from './notifications/notifications.service.js';
import { measureProgress } from './notifications/progress.js';
import { createQuotaNotices } from './notifications/quota-notice/quota-notices.service.js';
import { createRequestedEmails } from './notifications/requested/requested-emails.service.js';
import { createTokenNotices } from './notifications/token-notice/token-notices.service.js';
import { createPlans } from './plans/plans.service.js';
import { createUsage } from './plans/usage.js';
import { createProbes } from './probes/probes.service.js';
import { createWebsiteEdits } from './provision/websites/website-edits.service.js';
import { createWebsiteImports } from './provision/websites/website-imports.service.js';
import { createQueues } from './queue/queues.js';
import { createExports } from './submissions/export/export.service.js';
import { createHandling } from './submissions/handling/handling.service.js';
import { createInbox } from './submissions/inbox/inbox.service.js';
import { createSubmissionLog } from './submissions/inbox/submission-log.service.js';
import { createPersons } from './submissions/person/person.service.js';
import { createStatistics } from './submissions/statistics/statistics.service.js';
import { createProbeTokens } from './submissions/submit/probe-token.js';
import { createSubmit } from './submissions/submit/submit.js';
import { createSavedViews } from './submissions/views/saved-views.service.js';
import { createInvitationAnswers } from './teams/invitation-answers.service.js';
import { createInvitations } from './teams/invitations.service.js';
import { createMembers } from './teams/members.service.js';
import { createTeams } from './teams/teams.service.js';
import { createTokens, revokeAll } from './tokens/tokens.service.js';
import { createVisitStatistics } from './visits/visit-statistics.queries.js';
import { createVisits } from './visits/visits.service.js';
import { createDirectory } from './websites/directory/directory.service.js';
import { createManagedWebsites } from './websites/editing/managed-websites.service.js';
import { createSignatures } from './websites/signatures/signatures.service.js';
import { createWebsites } from './websites/websites.service.js';

export type Services = ReturnType<typeof createServices>;

type Options = {
  clock?: Clock;
  statementTimeoutMs?: number;
  mailTimeouts?: MailTimeouts;
  /** Tells whether the disk of the database is all but full, where this process can know. */
  isDiskFull?: () => Promise<boolean>;
};

/** The composition root: every service once, each after what it uses. Nothing connects before its first use. */
export function createServices(
  config: Config,
  log: Logger,
  { clock = systemClock, statementTimeoutMs, mailTimeouts, isDiskFull }: Options = {},
) {
  const { databaseUrl, directDatabaseUrl } = config;
  const isPooled = databaseUrl !== directDatabaseUrl;
  const db = createDb(databaseUrl, { isPooled, statementTimeoutMs });
  const panelDb = createDb(databaseUrl, { use: 'panel', isPooled, statementTimeoutMs });
  const schema = createSchemaCheck({ db, clock });
  const keyring = createKeyring(config.appKey, config.appKeyPrevious);
  const cipher = createCipher(keyring);
  const appKeyCheck = createAppKeyCheck({ db, keyring, cipher, log });
  const redis = config.redisUrl ? createRedis(config.redisUrl, log, 'commands') : null;
  const limiter = createLimiter({ redis, log });
  const queues = createQueues({ redisUrl: config.redisUrl, databaseUrl: directDatabaseUrl, log });
  const readiness = createReadiness({ db, schema, queues, clock, isDiskFull });
  const { smtpUrl, mailFrom, worker } = config;
  const mailer = createMailer({
    ...{ smtpUrl, from: mailFrom, timeouts: mailTimeouts },
    connections: worker.concurrency * CONNECTIONS_EACH,
  });
  const dispatch = createDispatch({ mailer, connections: worker.concurrency, log });
  const background = createBackground({ log });
  const backfills = createBackfills({ db, log, registry: BACKFILLS });

  const sessions = createSessions({ db, clock, log });
  const { publicUrl } = config;
  const oneTimeLinks = createOneTimeLinks({ db, clock, keyring, publicUrl });
  const login = createLogin({ db, sessions, links: oneTimeLinks, config });
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
  const changeFeed = createChangeFeed({ db, databaseUrl: directDatabaseUrl, log });
  const websites = createWebsites({ db, cipher, changeFeed });
  const signatures = createSignatures({ db, cipher, clock, ttlS: config.signatureTtlS });
  const visits = createVisits({ db });
  const directory = createDirectory({ db, redis, clock });
  const forms = createForms({ db, changeFeed, websites, locales: config.locales, log });
  const incidents = createIncidents({ db, clock, log });
  const verdictCounts = createVerdictCounts({ db, clock, log });
  const captcha = createCaptcha({ db, cipher, keyring, incidents, verdictCounts, clock, config });
  const notifications = createNotifications({
    ...{ db, queues, dispatch, forms, clock, background, log },
    connections: worker.concurrency,
  });
  const quotaNotices = createQuotaNotices({ db, dispatch, log });
  const tokenNotices = createTokenNotices({ db, clock, dispatch, log });
  const accountEmails = createAccountEmails({ db, dispatch, links: oneTimeLinks, log });
  const probeTokens = createProbeTokens({ keyring, clock });
  const probeMailbox = config.probeMailbox ?? mailFrom.address;
  const submit = createSubmit({
    ...{ db, limiter, signatures, forms, captcha, notifications, probeTokens, probeMailbox, clock },
    locales: config.locales,
  });
  const inbox = createInbox({ db: panelDb });
  const submissionLog = createSubmissionLog({ db: panelDb });
  const requestedEmails = createRequestedEmails({ db: panelDb, notifications, clock });
  const heldEmails = createHeldEmails({ db: panelDb, notifications, clock });
  const handling = createHandling({ db: panelDb, notifications, requestedEmails, clock });
  const savedViews = createSavedViews({ db: panelDb });
  const persons = createPersons({ db: panelDb });
  const statistics = createStatistics({ db: panelDb, clock });
  const exports = createExports({ db: panelDb, inbox });

  const outbound = createOutbound(config.outboundAllow);
  const probes = createProbes({
    ...{ db: panelDb, websites, forms, outbound, probeTokens, limiter, clock, publicUrl, log },
    mailbox: probeMailbox,
  });

  const managedWebsites = createManagedWebsites({ db: panelDb, cipher, clock });
  const managedForms = createManagedForms({ db: panelDb });
  const formVersions = createFormVersions({ db: panelDb });
  const placements = createPlacements({ db: panelDb });
  const chains = createChains({ db: panelDb, cipher, config });
  const incidentLog = createIncidentLog({ db: panelDb });
  const visitStatistics = createVisitStatistics({ db: panelDb });
  const websiteEdits = createWebsiteEdits({ db: panelDb, cipher });
  const websiteImports = createWebsiteImports({ db: panelDb, cipher, locales: config.locales });

  return {
    ...{ config, log, clock, db, readiness, cipher, limiter, queues, mailer, dispatch },
    ...{ background, backfills, appKeyCheck },
    ...{ sessions, login, oneTimeLinks, credentials, accounts, policy, auditLog },
    ...{ plans, usage, teams, members, invitations, invitationAnswers, tokens },
    ...{ changeFeed, websites, directory, signatures, visits, forms, captcha, verdictCounts },
    ...{ notifications, requestedEmails, heldEmails, quotaNotices, tokenNotices, accountEmails, submit },
    ...{ inbox, submissionLog, savedViews, handling, persons, exports, statistics, probes, probeTokens },
    ...{ managedWebsites, managedForms, formVersions, placements, chains, incidentLog, visitStatistics },
    ...{ websiteEdits, websiteImports },

    /** How the notifications of the whole installation stand; also brings the gauges up to date. */
    async measure() {
      await backfills.measure();
      return measureProgress({ db, queues });
    },

    /** Waits for work in flight, then closes every connection. */
    async close(): Promise<void> {
      appKeyCheck.close();
      await probes.close();
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
