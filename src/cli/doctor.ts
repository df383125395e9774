import { readClockSkewMs } from '../db/clock-skew.queries.js';
import { serverMessage } from '../db/database-errors.js';
import { migrationState } from '../db/migration/migrate.js';
import { StartError } from '../errors.js';
import { untilAborted, withDeadline } from '../lib/deadline.js';
import { causeOf } from '../lib/telemetry/cause.js';
import { VERSION } from '../lib/telemetry/version.js';
import type { SenderCheckName, SenderCheckResult } from '../mail/sender-dns/sender-dns.js';
import { senderAdvice } from '../mail/sender-dns/sender-dns.words.js';
import { verifyMailServer } from '../mail/verify-server.js';
import type { Services } from '../services.js';
import { findWebsitesOfUnknownTimeZone } from '../websites/websites.queries.js';
import { databaseAdvice, queueAdvice } from './doctor.advice.js';
import { readVersion } from './doctor.queries.js';
import { oneLine, print, table } from './output.js';
import { withUnchecked } from './runtime.js';

/** Bound of each check. */
const TIMEOUT_MS = 15_000;

/** Seconds by which the clock of this machine may differ from that of the database. */
const MAX_CLOCK_SKEW_S = 2;

/** Most websites that a check names. */
const MAX_NAMED = 10;

/** What a check came to. `advice` says what to do; null: nothing is to be done. */
type Outcome = Readonly<{
  detail: string;
  advice: string | null;
  /** Whether the checks that need this one cannot be made. */
  blocks?: boolean;
}>;

type Check = Readonly<{
  name: string;
  run(services: Services): Promise<Outcome>;
  /** Names of earlier checks without which this one would give wrong advice. */
  needs?(services: Services): readonly string[];
  /** What to do when it fails. */
  advise(cause: string, reason: string, services: Services): string;
}>;

const fine = (detail: string): Outcome => ({ detail, advice: null });

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const adviseDatabase = (cause: string, reason: string): string =>
  databaseAdvice(cause, reason, 'DATABASE_URL');

async function checkDatabase({ db, readiness }: Services): Promise<Outcome> {
  const version = await readVersion(db);
  const state = await readiness.database();
  const detail = `PostgreSQL ${version}`;
  if (state === 'full') return { detail, advice: adviseDatabase('disk_full', '') };
  if (state === 'read_only') return { detail, advice: adviseDatabase('read_only', '') };
  if (state === 'away') return { detail, advice: 'It answers and takes no writes: read its log.' };
  return fine(detail);
}

async function checkSchema({ config }: Services): Promise<Outcome> {
  const { applied, pending, unknown } = await migrationState(config.directDatabaseUrl);
  if (pending.length > 0) {
    const detail = `it lacks ${pending.length} of ${applied.length + pending.length} migrations`;
    return { detail, advice: 'Run formgate migrate.', blocks: true };
  }
  const later = unknown.length > 0 ? `, ${unknown.length} of a later version` : '';
  return fine(`${applied.length} migrations${later}`);
}

async function checkClock({ db }: Services): Promise<Outcome> {
  const skewMs = Math.abs(await readClockSkewMs(db));
  const detail = `${seconds(skewMs)} from the database's`;
  if (skewMs <= MAX_CLOCK_SKEW_S * 1_000) return fine(detail);
  return {
    detail,
    advice: 'Synchronise both machines by NTP: signatures and captchas expire by these clocks.',
  };
}

async function checkTimeZones({ db }: Services): Promise<Outcome> {
  const websites = await findWebsitesOfUnknownTimeZone(db);
  if (websites.length === 0) return fine('PostgreSQL knows those of all websites');
  const named = websites.slice(0, MAX_NAMED).map(({ id, timeZone }) => `${id} (${timeZone})`);
  const more = websites.length > MAX_NAMED ? ` and ${websites.length - MAX_NAMED} more` : '';
  return {
    detail: `PostgreSQL does not know that of ${named.join(', ')}${more}`,
    advice:
      'Set one such as Europe/Paris in the settings of each of these websites: until then counts by day fail for all.',
  };
}

async function checkQueue({ config, queues }: Services): Promise<Outcome> {
  if (!config.redisUrl) return fine('on PostgreSQL');
  await queues.connect();
  await queues.requireWritable();
  return fine(`Redis at ${new URL(config.redisUrl).host}`);
}

async function checkMailServer({ config }: Services): Promise<Outcome> {
  await verifyMailServer(config.smtpUrl, TIMEOUT_MS);
  return fine(`${new URL(config.smtpUrl).host} takes the connection and the login`);
}

async function checkKey({ appKeyCheck }: Services): Promise<Outcome> {
  const isKnown = await appKeyCheck.isKnown();
  return fine(isKnown ? 'it reads the secrets of this database' : 'the first process to start enters it');
}

const isPooled = ({ config }: Services): boolean => config.directDatabaseUrl !== config.databaseUrl;

/** The checks that need one connection each. */
const CHECKS: readonly Check[] = [
  {
    name: 'database',
    run: checkDatabase,
    advise: adviseDatabase,
  },
  {
    name: 'schema',
    run: checkSchema,
    needs: (services) => (isPooled(services) ? [] : ['database']),
    advise: (cause, reason, services) =>
      databaseAdvice(cause, reason, isPooled(services) ? 'DIRECT_DATABASE_URL' : 'DATABASE_URL'),
  },
  {
    name: 'app key',
    run: checkKey,
    needs: () => ['database', 'schema'],
    advise: adviseDatabase,
  },
  {
    name: 'clock',
    run: checkClock,
    needs: () => ['database'],
    advise: adviseDatabase,
  },
  {
    name: 'time zones',
    run: checkTimeZones,
    needs: () => ['database', 'schema'],
    advise: adviseDatabase,
  },
  { name: 'queue', run: checkQueue, advise: queueAdvice },
  {
    name: 'mail server',
    run: checkMailServer,
    advise: () =>
      'See that SMTP_URL has the right host, port, user and password, and that a firewall lets it through.',
  },
];

const DNS_NAMES: Readonly<Record<SenderCheckName, string>> = {
  spf: 'SPF',
  dmarc: 'DMARC',
  bounce_mx: 'bounce MX',
  bounce_spf: 'bounce SPF',
};

function dnsOutcome({ name, finding, detail }: SenderCheckResult): Outcome {
  if (finding === 'ok') return fine(detail);
  return { detail, advice: senderAdvice({ name, finding }, 'en') };
}

const rowOf = (name: string, { detail, advice }: Outcome): string[] => [
  name,
  advice === null ? 'ok' : 'FAILED',
  oneLine(advice === null ? detail : `${detail}. ${advice}`),
];

/** Runs a check, whose error is what it found. */
async function runCheck(services: Services, check: Check): Promise<Outcome> {
  try {
    return await withDeadline(TIMEOUT_MS, undefined, (signal) =>
      untilAborted(signal, () => check.run(services)),
    );
  } catch (error) {
    if (error instanceof StartError) return { detail: 'refused', advice: error.message, blocks: true };
    const { cause } = causeOf(error);
    const { reason } = causeOf(error instanceof Error ? new Error(serverMessage(error)) : error);
    return { detail: `${cause}: ${reason}`, advice: check.advise(cause, reason, services), blocks: true };
  }
}

/** Runs the checks in turn, and leaves out what needs one that failed. @returns a row for each. */
async function runChecks(services: Services): Promise<string[][]> {
  const rows: string[][] = [];
  const blocked = new Set<string>();
  for (const check of CHECKS) {
    const missing = check.needs?.(services).find((name) => blocked.has(name));
    if (missing !== undefined) {
      rows.push([check.name, 'SKIPPED', `It needs the check of the ${missing}, which failed.`]);
      continue;
    }
    const outcome = await runCheck(services, check);
    if (outcome.blocks) blocked.add(check.name);
    rows.push(rowOf(check.name, outcome));
  }
  return rows;
}

/** `formgate doctor`: prints what each check came to, and what to do. @throws StartError when one failed. */
export async function doctorCommand(): Promise<void> {
  await withUnchecked({ process: 'doctor' }, async (services) => {
    const rows = [['version', 'ok', `Formgate ${VERSION}, Node.js ${process.versions.node}`]];
    rows.push(...(await runChecks(services)));
    const ofSender = await services.senderDns.run();
    for (const result of ofSender) rows.push(rowOf(DNS_NAMES[result.name], dnsOutcome(result)));
    if (ofSender.length === 0) {
      rows.push([
        'sender DNS',
        'SKIPPED',
        'The domain of MAIL_FROM is one for tests and examples, without DNS.',
      ]);
    }
    print(table(rows));
    const failed = rows.filter(([, state]) => state === 'FAILED').length;
    if (failed > 0) throw new StartError(failed === 1 ? 'One check failed.' : `${failed} checks failed.`);
  });
}
