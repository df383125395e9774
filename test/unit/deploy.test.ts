import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { registry } from '../../src/lib/telemetry/metrics.js';

type Rules = { groups: { rules: { alert: string; expr: string; labels: { severity: string } }[] }[] };
type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] };

const rules = parse(readFileSync('deploy/prometheus/formgate.rules.yml', 'utf8')) as Rules;
const dashboard = JSON.parse(readFileSync('deploy/grafana/formgate.json', 'utf8')) as Dashboard;

const alerts = rules.groups.flatMap((group) => group.rules.map(({ alert, expr }) => [alert, expr] as const));
const panels = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [title, expr] as const),
);

/** Names of Formgate's metrics in an expression, each with the labels that the expression selects or groups by. */
function metricsOf(expr: string): { name: string; labels: string[] }[] {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names]) => names!.split(/,\s*/));
  return [...expr.matchAll(/\b(formgate_\w+)(?:\{([^}]*)\})?/g)].map(([, name, selected = '']) => ({
    name: name!.replace(/_(bucket|count|sum)$/, ''),
    labels: [...grouped, ...[...selected.matchAll(/(\w+)\s*[=!]/g)].map(([, label]) => label!)],
  }));
}

/** Labels that Prometheus adds, and those of a histogram's buckets. */
const ADDED = ['instance', 'job', 'le'];

test.each([...alerts, ...panels])('%s asks for metrics and labels that Formgate has', (_title, expr) => {
  for (const { name, labels } of metricsOf(expr)) {
    const metric = registry.getSingleMetric(name) as unknown as { labelNames: string[] } | undefined;
    expect({ name, isKnown: metric !== undefined }).toEqual({ name, isKnown: true });
    for (const label of labels) expect([...ADDED, ...metric!.labelNames]).toContain(label);
  }
});

/** The metrics that docs/operations.md tells when to be alarmed about, with its words. */
const ALARMS = [
  ...readFileSync('docs/operations.md', 'utf8').matchAll(/^\| `(formgate_\w+).*?` \|.*\| ([^|]*) \|$/gm),
].map(([, name, alarm]) => [name!, alarm!] as const);

/** Of these, the ones without an alert: what another one covers, or what a team mends or only an operator judges. */
const WITHOUT_ALERT = [
  'formgate_notifications_oldest_pending_seconds',
  'formgate_notifications_pending',
  'formgate_mail_server_held',
  'formgate_webhook_deliveries_pending',
  'formgate_webhooks_failing',
  'formgate_webhook_attempts_total',
  'formgate_queue_jobs',
  'formgate_submissions_total',
  'formgate_submissions_expired_total',
  'formgate_delivery_reports_total',
];

test('every alarm that docs/operations.md names has an alert, but for those that are listed here', () => {
  const alerting = new Set(alerts.flatMap(([, expr]) => metricsOf(expr).map(({ name }) => name)));
  const silent = ALARMS.filter(([name, alarm]) => alarm !== '' && !alerting.has(name)).map(([name]) => name);
  expect(ALARMS.length).toBeGreaterThan(20);
  expect(silent).toEqual(WITHOUT_ALERT);
});

test('a single 500 raises an alert, however few requests there are; of 503 a rate does', () => {
  const asked = Object.fromEntries(alerts.filter(([, expr]) => /status=/.test(expr)));
  expect(Object.keys(asked)).toEqual(['FormgateServerErrors', 'FormgateUnavailable']);
  const series = 'formgate_http_request_duration_seconds_count{status="500"}';
  const known = `last_over_time(${series}[6h] offset 15m) and on (job, instance) process_start_time_seconds < time() - 22500`;
  const first = `count(${series} unless ${series} offset 15m unless (${known})) > 0`;
  expect(asked.FormgateServerErrors).toBe(`sum(increase(${series}[15m])) > 0 or ${first}`);
  expect(asked.FormgateUnavailable).toMatch(/^sum\(rate\(.*status="503"\}\[5m\]\)\) > 0\.1$/);
});

test('the jobs of the documented scrape configuration are those that alerts and dashboard select', () => {
  const [, example] = /^```yaml\n(scrape_configs:.*?)^```$/ms.exec(
    readFileSync('docs/operations.md', 'utf8'),
  )!;
  const { scrape_configs: configs } = parse(example!) as { scrape_configs: { job_name: string }[] };
  const selectors = [...alerts, ...panels].flatMap(([, expr]) => [...expr.matchAll(/job=~"([^"]*)"/g)]);
  expect(selectors.length).toBeGreaterThan(1);
  for (const [, pattern] of selectors)
    for (const { job_name: job } of configs) expect(job).toMatch(new RegExp(`^(?:${pattern})$`));
});

test('every metric of Formgate is on the dashboard, and every alert has a severity', () => {
  const shown = new Set(panels.flatMap(([, expr]) => metricsOf(expr).map(({ name }) => name)));
  const own = registry.getMetricsAsArray().map(({ name }) => name);
  const missing = own.filter((name) => name.startsWith('formgate_') && !shown.has(name));
  expect(missing).toEqual(['formgate_notifications_oldest_pending_seconds', 'formgate_mail_server_held']);
  for (const { labels } of rules.groups.flatMap((group) => group.rules))
    expect(['critical', 'warning']).toContain(labels.severity);
});
