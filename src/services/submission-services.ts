import { createCaptcha } from '../captcha/captcha.service.js';
import { createIncidents } from '../captcha/incidents/incidents.js';
import { createVerdictCounts } from '../captcha/verdict-counts.js';
import { createFormVersions } from '../forms/history/form-versions.service.js';
import { createForms } from '../forms/serving/forms.service.js';
import { createBounceAddresses } from '../notifications/bounces/bounce-address.js';
import { createBounces } from '../notifications/bounces/bounces.service.js';
import { createNotifications } from '../notifications/notifications.service.js';
import { createJudging } from '../spam/judging.service.js';
import { tellUndeliveredBy } from '../staff-emails/undelivered-lead.js';
import { shownFields } from '../submissions/inbox/submission-fields.js';
import { createProbeTokens } from '../submissions/submit/probe-token.js';
import { createSubmit } from '../submissions/submit/submit.js';
import { createTokens } from '../tokens/tokens.service.js';
import { createVisits } from '../visits/visits.service.js';
import { createWebhookDeliveries } from '../webhooks/deliveries.service.js';
import { createDirectory } from '../websites/directory/directory.service.js';
import { createSignatures } from '../websites/signatures/signatures.service.js';
import { createWebsites } from '../websites/websites.service.js';
import type { Infrastructure } from './infrastructure.js';

export type SubmissionServices = ReturnType<typeof createSubmissionServices>;

/**
 * Creates what serves pages and integrators before a submission, and what it then passes: checks, record, e-mail and
 * webhooks.
 */
export function createSubmissionServices(infrastructure: Infrastructure) {
  const {
    config,
    log,
    clock,
    db,
    redis,
    keyring,
    cipher,
    changeFeed,
    olderProcesses,
    limiter,
    queues,
    dispatch,
    background,
    outbound,
  } = infrastructure;
  const probeMailbox = config.probeMailbox ?? config.mailFrom.address;
  const tokens = createTokens({ db, clock, log });
  const websites = createWebsites({ db, cipher, changeFeed });
  const signatures = createSignatures({ db, cipher, clock, ttlS: config.signatureTtlS });
  const visits = createVisits({ db });
  const directory = createDirectory({ db, redis, clock });
  const forms = createForms({ db, changeFeed, websites, locales: config.locales, log });
  const incidents = createIncidents({ db, clock, log });
  const verdictCounts = createVerdictCounts({ db, clock, log });
  const captcha = createCaptcha({ db, cipher, keyring, incidents, verdictCounts, clock, config });
  const bounceAddresses = createBounceAddresses({ keyring, domain: config.bounces?.domain ?? null });
  const judging = createJudging({ db, olderProcesses, log });
  const bounces = createBounces({ db, clock, log, tellStaff: tellUndeliveredBy(clock) });
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
    checkUndelivered: bounces.checkUndelivered,
    connections: config.worker.concurrency,
  });
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
  const probeTokens = createProbeTokens({ keyring, clock });
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

  return {
    tokens,
    websites,
    signatures,
    visits,
    directory,
    forms,
    incidents,
    verdictCounts,
    captcha,
    bounceAddresses,
    bounces,
    judging,
    notifications,
    webhookDeliveries,
    probeTokens,
    submit,
    probeMailbox,
  };
}
