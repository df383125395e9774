import { createFormFindings } from '../attention/findings/form-findings.service.js';
import { createSilence } from '../attention/silence/silence.service.js';
import { domainOf } from '../lib/text/email-address.js';
import { createSenderChecks } from '../mail/sender-dns/sender-checks.service.js';
import { createSenderDns } from '../mail/sender-dns/sender-dns.js';
import { createAccountEmails } from '../notifications/account-email/account-emails.service.js';
import { createQuotaNotices } from '../notifications/quota-notice/quota-notices.service.js';
import { createTokenNotices } from '../notifications/token-notice/token-notices.service.js';
import { createWebhookNotices } from '../notifications/webhook-notice/webhook-notices.service.js';
import { createProbeSchedule } from '../probes/schedule/probe-schedule.js';
import { createDailyCounts } from '../rollups/daily-counts.service.js';
import { createAlerts } from '../staff-emails/alerts.service.js';
import { createDigest } from '../staff-emails/digest.service.js';
import { createStaffEmails } from '../staff-emails/staff-emails.service.js';
import { createMonthlyReports } from '../submissions/monthly-report/monthly-reports.service.js';
import { createRetention } from '../submissions/retention/retention.service.js';
import { createSpamDigests } from '../submissions/spam-digest/spam-digests.service.js';
import type { Infrastructure } from './infrastructure.js';
import type { PanelServices } from './panel-services.js';
import type { SubmissionServices } from './submission-services.js';

/** Creates what only the worker runs: e-mails beside those about leads, counts, searches for faults, retention. */
export function createWorkerServices(
  infrastructure: Infrastructure,
  submissions: SubmissionServices,
  panel: PanelServices,
) {
  const { config, log, clock, db, panelDb, queues, readiness, dispatch, background } = infrastructure;
  const { forms } = submissions;
  const { spamVerdicts, statistics, breakdowns, visitStatistics, probes, oneTimeLinks } = panel;
  const { publicUrl, mailFrom } = config;
  const quotaNotices = createQuotaNotices({ db, dispatch, log });
  const webhookNotices = createWebhookNotices({ db, dispatch, log });
  const tokenNotices = createTokenNotices({ db, clock, dispatch, log, publicUrl });
  const accountEmails = createAccountEmails({ db, dispatch, links: oneTimeLinks, publicUrl, log });
  const retention = createRetention({ db, panelDb, clock });
  const probeSchedule = createProbeSchedule({ db, probes, clock, log });
  const dailyCounts = createDailyCounts({ db, clock });
  const silence = createSilence({ db, clock });
  const formFindings = createFormFindings({ db, clock });
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
  const monthlyReports = createMonthlyReports({
    db: panelDb,
    queues,
    dispatch,
    statistics,
    visitStatistics,
    breakdowns,
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

  return {
    quotaNotices,
    webhookNotices,
    tokenNotices,
    accountEmails,
    retention,
    probeSchedule,
    dailyCounts,
    silence,
    formFindings,
    staffEmails,
    digest,
    alerts,
    senderDns,
    senderChecks,
    monthlyReports,
    spamDigests,
  };
}
