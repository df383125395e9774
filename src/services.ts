import { createAccounts } from './accounts/accounts.service.js';
import { createAttention } from './attention/attention.service.js';
import { createFormFindings } from './attention/findings/form-findings.service.js';
import { createSetAsides } from './attention/set-asides.service.js';
import { createSilence } from './attention/silence/silence.service.js';
import { createAuditLog } from './audit/audit-log.queries.js';
import { createSubjectNames } from './audit/subject-names.js';
import { createAuth } from './auth/auth.js';
import { BACKFILLS } from './backfills.js';
import { createChangeFeed } from './cache/change-feed.js';
import { createCaptcha } from './captcha/captcha.service.js';
import { createChains } from './captcha/editing/chains.service.js';
import { createCredentialChecks } from './captcha/editing/credential-checks.service.js';
import { createCaptchaFigures } from './captcha/figures/captcha-figures.queries.js';
import { createIncidentLog } from './captcha/incidents/incident-log.queries.js';
import { createIncidents } from './captcha/incidents/incidents.js';
import { createVerdictCounts } from './captcha/verdict-counts.js';
import type { Config } from './config.js';
import { createAppKeyCheck } from './db/app-key.js';
import { createBackfills } from './db/backfill/backfills.service.js';
import { createDb } from './db/client.js';
import { createSchemaCheck } from './db/migration/schema-check.js';
import { createOlderProcesses } from './db/older-processes.js';
import { createManagedForms } from './forms/editing/managed-forms.service.js';
import { createFormVersions } from './forms/history/form-versions.service.js';
import { createPlacements } from './forms/placements/placements.service.js';
import { createForms } from './forms/serving/forms.service.js';
import { createReadiness } from './http/health/readiness.js';
import { createLimiter } from './http/limits/rate-limit.js';
import { JOBS } from './jobs.js';
import { createBackground } from './lib/background.js';
import { type Clock, systemClock } from './lib/clock.js';
import { createCipher } from './lib/crypto/cipher.js';
import { createKeyring } from './lib/crypto/keyring.js';
import { createOutbound } from './lib/outbound/outbound.js';
import { createRedis } from './lib/redis.js';
import type { Logger } from './lib/telemetry/logger.js';
import { domainOf } from './lib/text/email-address.js';
import { CONNECTIONS_EACH, createDispatch } from './mail/dispatch.js';
import { createMailer, type MailTimeouts } from './mail/mailer.js';
import { createSenderChecks } from './mail/sender-dns/sender-checks.service.js';
import { createSenderDns } from './mail/sender-dns/sender-dns.js';
import { createServerCheck } from './mail/server-check.js';
import { createAccountEmails } from './notifications/account-email/account-emails.service.js';
import { createBounceAddresses } from './notifications/bounces/bounce-address.js';
import { createBounces } from './notifications/bounces/bounces.service.js';
import { createHeldEmails } from './notifications/held/held-emails.service.js';
import { measureBacklog } from './notifications/measure-backlog.js';
import { createNotifications } from './notifications/notifications.service.js';
import { createQuotaNotices } from './notifications/quota-notice/quota-notices.service.js';
import { createRequestedEmails } from './notifications/requested/requested-emails.service.js';
import { createTokenNotices } from './notifications/token-notice/token-notices.service.js';
import { createWebhookNotices } from './notifications/webhook-notice/webhook-notices.service.js';
import { createPlans } from './plans/plans.service.js';
import { createUsage } from './plans/usage.js';
import { createProbes } from './probes/probes.service.js';
import { createProbeSchedule } from './probes/schedule/probe-schedule.js';
import { createWebsiteEdits } from './provision/websites/website-edits.service.js';
import { createWebsiteImports } from './provision/websites/website-imports.service.js';
import { createQueues } from './queue/queues.js';
import { createDailyCounts } from './rollups/daily-counts.service.js';
import { createJudging } from './spam/judging.service.js';
import { createSpamRules } from './spam/rules/spam-rules.service.js';
import { createSpamSettings } from './spam/settings/spam-settings.service.js';
import { createTeaching } from './spam/teaching/teaching.service.js';
import { createSpamVerdicts } from './spam/verdicts.service.js';
import { createAlerts } from './staff-emails/alerts.service.js';
import { createDigest } from './staff-emails/digest.service.js';
import { createStaffEmails } from './staff-emails/staff-emails.service.js';
import { createExports } from './submissions/export/export.service.js';
import { createHandling } from './submissions/handling/handling.service.js';
import { createLegalHolds } from './submissions/handling/legal-holds.service.js';
import { createInbox } from './submissions/inbox/inbox.service.js';
import { shownFields } from './submissions/inbox/submission-fields.js';
import { createSubmissionLog } from './submissions/inbox/submission-log.service.js';
import { createMonthlyReports } from './submissions/monthly-report/monthly-reports.service.js';
import { createErasures } from './submissions/person/erasure.service.js';
import { createErasureReceipts } from './submissions/person/erasure-receipts.service.js';
import { createPersons } from './submissions/person/person.service.js';
import { createRetention } from './submissions/retention/retention.service.js';
import { createSpamDigests } from './submissions/spam-digest/spam-digests.service.js';
import { createBreakdowns } from './submissions/statistics/breakdown.service.js';
import { createStatistics } from './submissions/statistics/statistics.service.js';
import { createProbeTokens } from './submissions/submit/probe-token.js';
import { createSubmit } from './submissions/submit/submit.js';
import { createSavedViews } from './submissions/views/saved-views.service.js';
import { createAccountRemoval } from './teams/account-removal.service.js';
import { createInvitationAnswers } from './teams/invitation-answers.service.js';
import { createInvitations } from './teams/invitations.service.js';
import { createMembers } from './teams/members.service.js';
import { createTeams } from './teams/teams.service.js';
import { createTokens, revokeAll } from './tokens/tokens.service.js';
import { createVisitStatistics } from './visits/visit-statistics.queries.js';
import { createVisits } from './visits/visits.service.js';
import { createWebhookDeliveries } from './webhooks/deliveries.service.js';
import { createWebhooks } from './webhooks/webhooks.service.js';
import { createDirectory } from './websites/directory/directory.service.js';
import { createManagedWebsites } from './websites/editing/managed-websites.service.js';
import { createSignatures } from './websites/signatures/signatures.service.js';
import { createWebsites } from './websites/websites.service.js';

export type Services = ReturnType<typeof createServices>;

type Options = {
  clock?: Clock;
  statementTimeoutMs?: number;
  /** Of a connection to PostgreSQL. */
  connectTimeoutMs?: number;
  mailTimeouts?: MailTimeouts;
  /** Tells whether the disk of the database is all but full, where this process can know. */
  isDiskFull?: () => Promise<boolean>;
};

/** The composition root: every service once, each after what it uses. Nothing connects before its first use. */
export function createServices(
  config: Config,
  log: Logger,
  { clock = systemClock, statementTimeoutMs, connectTimeoutMs, mailTimeouts, isDiskFull }: Options = {},
) {
  const { databaseUrl, directDatabaseUrl } = config;
  const isPooled = databaseUrl !== directDatabaseUrl;
  const connecting = { isPooled, statementTimeoutMs, connectTimeoutMs };
  const db = createDb(databaseUrl, connecting);
  const panelDb = createDb(databaseUrl, { ...connecting, use: 'panel' });
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
    smtpUrl,
    from: mailFrom,
    timeouts: mailTimeouts,
    connections: worker.concurrency * CONNECTIONS_EACH,
  });
  const dispatch = createDispatch({ mailer, connections: worker.concurrency, log });
  const mailServer = createServerCheck({ dispatch, smtpUrl });
  const background = createBackground({ log });
  const backfills = createBackfills({ db, log, registry: BACKFILLS });

  const { publicUrl } = config;
  const auth = createAuth({ db: panelDb, cipher, keyring, clock, config, log });
  const { sessions, oneTimeLinks, secondFactors, sessionIssuer, credentials } = auth;
  const accounts = createAccounts({ db: panelDb, sessions, links: oneTimeLinks, secondFactors, clock });
  const auditLog = createAuditLog({ db: panelDb });
  const subjectNames = createSubjectNames({ db: panelDb });
  const plans = createPlans({ db: panelDb });
  const usage = createUsage({ db: panelDb, clock });
  const teams = createTeams({
    db: panelDb,
    revokeTokens: (tx, bearer, actor) => revokeAll(tx, bearer, actor, clock()),
  });
  const members = createMembers({ db: panelDb, teams });
  const accountRemoval = createAccountRemoval({ db: panelDb, teams, sessions, clock });
  const invitations = createInvitations({ db: panelDb, clock, links: oneTimeLinks });
  const invitationAnswers = createInvitationAnswers({
    db: panelDb,
    clock,
    teams,
    sessionIssuer,
    links: oneTimeLinks,
  });
  const tokens = createTokens({ db, clock, log });
  const panelTokens = createTokens({ db: panelDb, clock, log });
  const changeFeed = createChangeFeed({ db, databaseUrl: directDatabaseUrl, log });
  const websites = createWebsites({ db, cipher, changeFeed });
  const signatures = createSignatures({ db, cipher, clock, ttlS: config.signatureTtlS });
  const visits = createVisits({ db });
  const directory = createDirectory({ db, redis, clock });
  const forms = createForms({ db, changeFeed, websites, locales: config.locales, log });
  const incidents = createIncidents({ db, clock, log });
  const verdictCounts = createVerdictCounts({ db, clock, log });
  const captcha = createCaptcha({ db, cipher, keyring, incidents, verdictCounts, clock, config });
  const bounceAddresses = createBounceAddresses({ keyring, domain: config.bounces?.domain ?? null });
  const spamSettings = createSpamSettings({ db: panelDb, clock });
  const spamRules = createSpamRules({ db: panelDb });
  const spamVerdicts = createSpamVerdicts({ db: panelDb });
  const olderProcesses = createOlderProcesses({ db });
  const judging = createJudging({ db, olderProcesses, log });
  const teaching = createTeaching({ db: panelDb });
  const notifications = createNotifications({
    db,
    queues,
    dispatch,
    forms,
    judging,
    clock,
    background,
    log,
    returnPathOf: bounceAddresses.senderOf,
    connections: worker.concurrency,
  });
  const quotaNotices = createQuotaNotices({ db, dispatch, log });
  const webhookNotices = createWebhookNotices({ db, dispatch, log });
  const tokenNotices = createTokenNotices({ db, clock, dispatch, log, publicUrl });
  const accountEmails = createAccountEmails({ db, dispatch, links: oneTimeLinks, publicUrl, log });
  const probeTokens = createProbeTokens({ keyring, clock });
  const probeMailbox = config.probeMailbox ?? mailFrom.address;
  const submit = createSubmit({
    db,
    limiter,
    signatures,
    forms,
    captcha,
    notifications,
    probeTokens,
    probeMailbox,
    clock,
    formVersions: createFormVersions({ db }),
    locales: config.locales,
  });
  const inbox = createInbox({ db: panelDb });
  const submissionLog = createSubmissionLog({ db: panelDb });
  const requestedEmails = createRequestedEmails({ db: panelDb, notifications, clock });
  const heldEmails = createHeldEmails({ db: panelDb, notifications, clock });
  const handling = createHandling({ db: panelDb, notifications, requestedEmails, teaching, clock });
  const savedViews = createSavedViews({ db: panelDb });
  const persons = createPersons({ db: panelDb });
  const erasures = createErasures({ db: panelDb, cipher, clock });
  const erasureReceipts = createErasureReceipts({ db: panelDb, cipher });
  const legalHolds = createLegalHolds({ db: panelDb, clock });
  const retention = createRetention({ db, panelDb, clock });
  const statistics = createStatistics({ db: panelDb, clock });
  const breakdowns = createBreakdowns({ db: panelDb, clock });
  const exports = createExports({ db: panelDb, inbox });

  const outbound = createOutbound(config.outboundAllow);
  const webhookDeliveries = createWebhookDeliveries({
    db,
    queues,
    outbound,
    cipher,
    clock,
    log,
    async labelFields(submission) {
      const [fields] = await forms.labels([submission.formId]);
      return shownFields(submission, fields?.(submission.locale) ?? []);
    },
  });
  const { bodyOf } = webhookDeliveries;
  const webhooks = createWebhooks({ db: panelDb, queues, cipher, clock, log, bodyOf });
  const probes = createProbes({
    db: panelDb,
    websites,
    forms,
    outbound,
    probeTokens,
    limiter,
    clock,
    publicUrl,
    log,
    mailbox: probeMailbox,
  });
  const probeSchedule = createProbeSchedule({ db, probes, clock, log });

  const dailyCounts = createDailyCounts({ db, clock });
  const silence = createSilence({ db, clock });
  const formFindings = createFormFindings({ db, clock });
  const attention = createAttention({ db: panelDb, clock, log });
  const setAsides = createSetAsides({ db: panelDb, clock });

  const staffEmails = createStaffEmails({
    db,
    clock,
    dispatch,
    background,
    log,
    publicUrl,
    locales: config.locales,
    timeZone: config.digest.timeZone,
  });
  const digest = createDigest({ db, clock, log, time: config.digest });
  const alerts = createAlerts({ db, clock, log, readiness, staffEmails });
  const senderDns = createSenderDns({
    domain: domainOf(mailFrom.address).toLowerCase(),
    bounceDomain: config.bounces?.domain ?? null,
    servers: config.dnsServers,
  });
  const senderChecks = createSenderChecks({ db, senderDns, clock, log });
  const bounces = createBounces({ db, clock, log, tellStaff: staffEmails.tellUndelivered });

  const managedWebsites = createManagedWebsites({
    db: panelDb,
    cipher,
    troubledWebsites: attention.troubledWebsites,
  });
  const managedForms = createManagedForms({ db: panelDb });
  const formVersions = createFormVersions({ db: panelDb });
  const placements = createPlacements({ db: panelDb });
  const chains = createChains({ db: panelDb, cipher, config });
  const credentialChecks = createCredentialChecks({ db: panelDb, cipher, config });
  const captchaFigures = createCaptchaFigures({ db: panelDb });
  const incidentLog = createIncidentLog({ db: panelDb });
  const visitStatistics = createVisitStatistics({ db: panelDb });
  const monthlyReports = createMonthlyReports({
    db: panelDb,
    queues,
    dispatch,
    statistics,
    visitStatistics,
    publicUrl,
    clock,
    log,
  });
  const spamDigests = createSpamDigests({
    db,
    clock,
    dispatch,
    background,
    forms,
    spamVerdicts,
    publicUrl,
    log,
    time: config.digest,
  });
  const websiteEdits = createWebsiteEdits({ db: panelDb, cipher });
  const websiteImports = createWebsiteImports({ db: panelDb, cipher, locales: config.locales });

  return {
    config,
    log,
    clock,
    db,
    readiness,
    cipher,
    limiter,
    queues,
    mailer,
    dispatch,
    mailServer,
    background,
    backfills,
    appKeyCheck,
    accounts,
    auditLog,
    subjectNames,
    ...auth,
    plans,
    usage,
    teams,
    members,
    accountRemoval,
    invitations,
    invitationAnswers,
    tokens,
    panelTokens,
    changeFeed,
    websites,
    directory,
    signatures,
    visits,
    forms,
    captcha,
    verdictCounts,
    judging,
    olderProcesses,
    teaching,
    spamSettings,
    spamRules,
    spamVerdicts,
    notifications,
    requestedEmails,
    heldEmails,
    quotaNotices,
    tokenNotices,
    webhookNotices,
    accountEmails,
    submit,
    inbox,
    submissionLog,
    savedViews,
    handling,
    legalHolds,
    exports,
    statistics,
    breakdowns,
    probes,
    probeTokens,
    persons,
    erasures,
    erasureReceipts,
    retention,
    managedWebsites,
    managedForms,
    formVersions,
    placements,
    chains,
    incidentLog,
    visitStatistics,
    websiteEdits,
    websiteImports,
    webhooks,
    webhookDeliveries,
    outbound,
    credentialChecks,
    captchaFigures,
    monthlyReports,
    spamDigests,
    bounceAddresses,
    bounces,
    staffEmails,
    probeSchedule,
    digest,
    alerts,
    senderDns,
    senderChecks,
    dailyCounts,
    silence,
    formFindings,
    attention,
    setAsides,

    /** How the notifications of the whole installation stand; also brings the gauges up to date. */
    async measure() {
      await backfills.measure();
      await alerts.measure();
      return measureBacklog({ db, queues, jobs: Object.values(JOBS) });
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
