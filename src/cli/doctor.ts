import { migrationState } from '../db/migration/migrate.js';
import { StartError } from '../errors.js';
import { untilAborted, withDeadline } from '../lib/deadline.js';
import { causeOf } from '../lib/telemetry/cause.js';
import { VERSION } from '../lib/telemetry/version.js';
import type { SenderCheckName, SenderCheckResult, SenderFinding } from '../mail/sender-dns/sender-dns.js';
import { verifyMailServer } from '../mail/verify-server.js';
import type { Services } from '../services.js';
import { readServer } from './doctor.queries.js';
import { oneLine, print, table } from './output.js';
import { withUnchecked } from './runtime.js';

/** Bound of each check. */
const TIMEOUT_MS = 15_000;

/** Seconds by which the clock of this machine may differ from that of the database. */
const MAX_CLOCK_SKEW_S = 2;

/** What a check came to. `advice` says what to do; null: nothing is to be done. */
type Outcome = Readonly<{ detail: string; advice: string | null }>;

type Check = Readonly<{ name: string; run(services: Services): Promise<Outcome> }>;

const fine = (detail: string): Outcome => ({ detail, advice: null });

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

async function checkDatabase({ db, readiness }: Services): Promise<Outcome> {
  const { version } = await readServer(db);
  const state = await readiness.database();
  const detail = `PostgreSQL ${version}`;
  if (state === 'full') return { detail, advice: 'Its disk is full: make room, or no lead is recorded.' };
  if (state === 'read_only') return { detail, advice: 'It only reads: name the primary in DATABASE_URL.' };
  return fine(detail);
}

async function checkSchema({ config }: Services): Promise<Outcome> {
  const { applied, pending, unknown } = await migrationState(config.directDatabaseUrl);
  if (pending.length > 0) {
    return { detail: `${pending.length} migrations are pending`, advice: 'Run formgate migrate.' };
  }
  const later = unknown.length > 0 ? `, ${unknown.length} of a later version` : '';
  return fine(`${applied.length} migrations${later}`);
}

async function checkClock({ db }: Services): Promise<Outcome> {
  const before = Date.now();
  const { now } = await readServer(db);
  const after = Date.now();
  const skewMs = Math.max(before - now.getTime(), now.getTime() - after, 0);
  const detail = `${seconds(skewMs)} from the database's`;
  if (skewMs <= MAX_CLOCK_SKEW_S * 1_000) return fine(detail);
  return {
    detail,
    advice: 'Synchronise both machines by NTP: signatures and captchas expire by these clocks.',
  };
}

async function checkQueue({ config, queues }: Services): Promise<Outcome> {
  if (!config.redisUrl) return fine('on PostgreSQL');
  await queues.requireWritable();
  return fine(`Redis at ${new URL(config.redisUrl).host}`);
}

async function checkMailServer({ config }: Services): Promise<Outcome> {
  await verifyMailServer(config.smtpUrl, TIMEOUT_MS);
  return fine(`${new URL(config.smtpUrl).host} takes the connection and the login`);
}

async function checkKey({ appKeyCheck }: Services): Promise<Outcome> {
  await appKeyCheck.verify();
  return fine('it reads the secrets of this database');
}

/** The checks that need one connection each, with what to do when it fails. */
const CHECKS: readonly (Check & Readonly<{ advice: string }>)[] = [
  { name: 'database', run: checkDatabase, advice: 'See that PostgreSQL runs and DATABASE_URL is right.' },
  { name: 'schema', run: checkSchema, advice: 'See that DIRECT_DATABASE_URL is right.' },
  {
    name: 'app key',
    run: checkKey,
    advice: 'Run formgate migrate, and give every process the same APP_KEY.',
  },
  { name: 'clock', run: checkClock, advice: 'See the line of the database.' },
  { name: 'queue', run: checkQueue, advice: 'See that Redis runs and REDIS_URL is right.' },
  {
    ...{ name: 'mail server', run: checkMailServer },
    advice:
      'See that SMTP_URL has the right host, port, user and password, and that a firewall lets it through.',
  },
];

const DNS_NAMES: Readonly<Record<SenderCheckName, string>> = {
  spf: 'SPF',
  dmarc: 'DMARC',
  bounce_mx: 'bounce MX',
};

const MISSING: Readonly<Record<SenderCheckName, string>> = {
  spf: 'Publish a text record that begins with v=spf1 and names the mail server.',
  dmarc: 'Publish a text record such as v=DMARC1; p=none; rua=mailto:… under this name.',
  bounce_mx: 'Publish an MX record that leads to the workers, or leave BOUNCE_DOMAIN unset.',
};

/** What to do about a finding of the sender's DNS. */
const DNS_ADVICE: Readonly<Record<Exclude<SenderFinding, 'ok' | 'missing'>, string>> = {
  several_records: 'Join the records into one: receivers ignore several.',
  too_many_lookups: 'Drop includes, or replace them by addresses: receivers stop after ten look-ups.',
  refers_to_itself: 'Break the circle: receivers ignore such a record.',
  broken_reference: 'Drop the reference: the domain has no such record.',
  invalid: 'Correct the record: receivers ignore it as it is.',
  unknown: 'DNS did not answer: try again, or name other resolvers in DNS_SERVERS.',
};

function dnsOutcome({ name, finding, detail }: SenderCheckResult): Outcome {
  if (finding === 'ok') return fine(detail);
  return { detail, advice: finding === 'missing' ? MISSING[name] : DNS_ADVICE[finding] };
}

const rowOf = (name: string, { detail, advice }: Outcome): string[] => [
  ...[name, advice === null ? 'ok' : 'FAILED'],
  oneLine(advice === null ? detail : `${detail}. ${advice}`),
];

/** Runs a check, whose error is what it found. */
async function runCheck(services: Services, check: (typeof CHECKS)[number]): Promise<Outcome> {
  try {
    return await withDeadline(TIMEOUT_MS, undefined, (signal) =>
      untilAborted(signal, () => check.run(services)),
    );
  } catch (error) {
    if (error instanceof StartError) return { detail: 'refused', advice: error.message };
    const { cause, reason } = causeOf(error);
    return { detail: `${cause}: ${reason}`, advice: check.advice };
  }
}

/** `formgate doctor`: prints what each check came to, and what to do. @throws StartError when one failed. */
export async function doctorCommand(): Promise<void> {
  await withUnchecked({ process: 'doctor' }, async (services) => {
    const rows = [['version', 'ok', `Formgate ${VERSION}, Node.js ${process.versions.node}`]];
    for (const check of CHECKS) rows.push(rowOf(check.name, await runCheck(services, check)));
    for (const result of await services.senderDns.run()) {
      rows.push(rowOf(DNS_NAMES[result.name], dnsOutcome(result)));
    }
    print(table(rows));
    const failed = rows.filter(([, state]) => state !== 'ok').length;
    if (failed > 0) throw new StartError(failed === 1 ? 'One check failed.' : `${failed} checks failed.`);
  });
}
