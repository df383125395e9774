import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from './version.js';

/** Every metric of this process that `GET /metrics` shows. */
export const registry = new Registry();

collectDefaultMetrics({ register: registry });

const registers = [registry];

new Gauge({
  name: 'formgate_build_info',
  help: '1, with the versions of Formgate and of Node.js as labels.',
  labelNames: ['version', 'node'] as const,
  registers,
}).set({ version: VERSION, node: process.version }, 1);

/** Duration of answered requests, by the pattern of their route; `operation` is that of a GraphQL request. */
export const requestDuration = new Histogram({
  name: 'formgate_http_request_duration_seconds',
  help: 'Time to answer a request.',
  labelNames: ['method', 'route', 'operation', 'status'] as const,
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers,
});

export const submissionsRecorded = new Counter({
  name: 'formgate_submissions_total',
  help: 'Submissions recorded and answered 200.',
  registers,
});

export const submissionsExpired = new Counter({
  name: 'formgate_submissions_expired_total',
  help: 'Submissions that this worker has deleted because the period of their team or form was over.',
  registers,
});

/** `outcome`: sent, failed, deferred, unknown, skipped_quota, no_recipient, withheld. */
export const notificationOutcomes = new Counter({
  name: 'formgate_notifications_total',
  help: 'Notification e-mails by how an attempt ended.',
  labelNames: ['outcome'] as const,
  registers,
});

/** `outcome`: delivered, retried, failed. */
export const webhookAttempts = new Counter({
  name: 'formgate_webhook_attempts_total',
  help: 'Attempts to deliver an event to a webhook, by how they ended.',
  labelNames: ['outcome'] as const,
  registers,
});

/** `outcome`: bounced, delayed, unreadable, ignored. */
export const deliveryReports = new Counter({
  name: 'formgate_delivery_reports_total',
  help: 'Delivery reports of mail servers by what they came to.',
  labelNames: ['outcome'] as const,
  registers,
});

/** `outcome`: passed, failed. */
export const scheduledProbes = new Counter({
  name: 'formgate_scheduled_probes_total',
  help: 'Daily probes of websites by how they ended.',
  labelNames: ['outcome'] as const,
  registers,
});

/** `type`: of the captcha step. `verdict`: the name of its provider's outcome. */
export const captchaVerdicts = new Counter({
  name: 'formgate_captcha_verdicts_total',
  help: 'Captcha verdicts by type of step.',
  labelNames: ['type', 'verdict'] as const,
  registers,
});

export const limiterFallbacks = new Counter({
  name: 'formgate_limiter_fallbacks_total',
  help: 'Rate limit decisions taken in memory because Redis was away.',
  registers,
});

/** `dependency`: database, queue, or a worker's mail. */
export const dependencyUp = new Gauge({
  name: 'formgate_dependency_up',
  help: '1 when this process could write to the dependency just now, else 0.',
  labelNames: ['dependency'] as const,
  registers,
});

/**
 * From a submission, or when its e-mail was released, sent again or first deferred, to its acceptance by the mail
 * server.
 */
export const mailDelay = new Histogram({
  name: 'formgate_mail_delay_seconds',
  help: 'Time from a submission, or from when its e-mail was released, sent again or first deferred, to the acceptance.',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800, 7_200, 86_400],
  registers,
});

export const pendingNotifications = new Gauge({
  name: 'formgate_notifications_pending',
  help: 'Notifications of the whole installation that are still to be sent.',
  registers,
});

export const oldestPendingSeconds = new Gauge({
  name: 'formgate_notifications_oldest_pending_seconds',
  help: 'Age of the oldest pending notification of the whole installation; 0 when there is none.',
  registers,
});

export const deferredNotifications = new Gauge({
  name: 'formgate_notifications_deferred',
  help: 'Pending notifications that wait for a mailbox or its domain: deferred, unconfirmed, or held back.',
  registers,
});

export const oldestBacklogSeconds = new Gauge({
  name: 'formgate_notifications_oldest_backlog_seconds',
  help: 'Age of the oldest pending notification that waits for no mailbox or domain; 0 when there is none.',
  registers,
});

export const pendingDeliveries = new Gauge({
  name: 'formgate_webhook_deliveries_pending',
  help: 'Webhook deliveries of the whole installation that are neither delivered nor failed.',
  registers,
});

export const oldestDeliverySeconds = new Gauge({
  name: 'formgate_webhook_deliveries_oldest_seconds',
  help: 'Seconds that the oldest webhook delivery without an attempt has waited; 0 when there is none.',
  registers,
});

export const failingWebhooks = new Gauge({
  name: 'formgate_webhooks_failing',
  help: 'Active webhooks whose last attempt failed.',
  registers,
});

export const queueDepth = new Gauge({
  name: 'formgate_queue_jobs',
  help: 'Jobs in the queue, by queue and state.',
  labelNames: ['queue', 'state'] as const,
  registers,
});

export const mailServerHeld = new Gauge({
  name: 'formgate_mail_server_held',
  help: '1 while the mail server is away for this worker.',
  registers,
});

/** `alert`: what staff are told of at once. */
export const openAlerts = new Gauge({
  name: 'formgate_open_alerts',
  help: '1 while staff are told of what stops leads or their e-mails everywhere, else 0.',
  labelNames: ['alert'] as const,
  registers,
});

export const backfillRowsLeft = new Gauge({
  name: 'formgate_backfill_rows_left',
  help: 'Rows that a pass of a backfill has still to go through, by an estimate; 0 when there is nothing to do.',
  labelNames: ['backfill'] as const,
  registers,
});

/** Leaves the gauges of the whole installation out until they are measured again. */
export function forgetInstallation(): void {
  for (const gauge of [
    pendingNotifications,
    oldestPendingSeconds,
    deferredNotifications,
    oldestBacklogSeconds,
    pendingDeliveries,
    oldestDeliverySeconds,
    failingWebhooks,
  ])
    gauge.remove();
  queueDepth.reset();
  openAlerts.reset();
  backfillRowsLeft.reset();
}
