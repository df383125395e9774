import { findByFormerAddress, lockAccountOf } from '../accounts/accounts.queries.js';
import { createUser, type UserSettings, updateUser } from '../accounts/users.js';
import type { Actor } from '../audit/audit.js';
import { hashPassword, newPassword } from '../auth/passwords.js';
import { endViewsWithin } from '../auth/sessions.service.js';
import type { Db, Transaction } from '../db/client.js';
import { isOvertaken } from '../db/database-errors.js';
import { retryTransaction } from '../db/transaction-retry.js';
import type { User } from '../generated/prisma/client.js';
import { changes, given } from '../lib/changes.js';
import type { Cipher } from '../lib/crypto/cipher.js';
import { UNKNOWN_TIME_ZONE } from '../lib/input.schema.js';
import { createPlan, updatePlan } from '../plans/plans.js';
import type { Teams } from '../teams/teams.service.js';
import { saveDepartment } from '../websites/editing/departments.js';
import { unknownTimeZones } from '../websites/websites.queries.js';
import { keepChangedAccounts } from './accounts.queries.js';
import { applyTeam } from './apply-team.js';
import { lockWebsites } from './apply-website.js';
import type { Document, PlanEntry, UserEntry } from './document.schema.js';
import { formatFault, type Path, ProvisionError } from './faults.js';
import { addToSummary, checkSettings, type Run, type Summary } from './run.js';

/** Advisory lock that serialises the provisions of a database. */
const PROVISION_LOCK = 0x666d6770;

/** Timeout of the transaction: enough for thousands of websites after another provision. */
const TIMEOUT_MS = 600_000;

type Services = Readonly<{ db: Db; cipher: Cipher; teams: Pick<Teams, 'setRole'> }>;

/**
 * Applies a document to the database in one transaction. A document that matches it changes no row.
 *
 * @throws ProvisionError with every fault when the document contradicts the stored state; nothing is written then.
 */
export async function applyDocument(
  { db, cipher, teams }: Services,
  document: Document,
  actor: Actor,
): Promise<Summary> {
  const hashes = await hashNewPasswords(db, document.users);
  const apply = () =>
    db.orm.$transaction((tx) => applyWithin({ tx, cipher, teams, actor }, document, hashes), {
      maxWait: TIMEOUT_MS,
      timeout: TIMEOUT_MS,
    });
  return retryTransaction(apply, isOvertaken);
}

async function applyWithin(
  services: Omit<Run, 'faults' | 'summary' | 'websiteIds'>,
  document: Document,
  hashes: ReadonlyMap<string, string>,
): Promise<Summary> {
  const { tx, actor } = services;
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${PROVISION_LOCK})`;
  const summary: Summary = { created: [], updated: [], removed: [] };
  const run: Run = { ...services, faults: [], summary, websiteIds: new Set() };
  await lockWebsites(tx, document.teams);
  await keepChangedAccounts(tx, document);
  for (const entry of document.departments) {
    addToSummary(run, await saveDepartment(tx, entry, actor), `department ${entry.code}`);
  }
  for (const [index, entry] of document.plans.entries()) await applyPlan(run, ['plans', index], entry);
  const emails = document.users.map(({ email }) => email);
  const known = { hashes, former: await findByFormerAddress(tx, emails) };
  for (const [index, entry] of document.users.entries()) {
    await applyUser(run, ['users', index], entry, known);
  }
  await checkTimeZones(run, document.teams);
  for (const [index, entry] of document.teams.entries()) await applyTeam(run, ['teams', index], entry);
  if (run.faults.length > 0) throw new ProvisionError(run.faults.map(formatFault));
  return summary;
}

/** Formats the summary of a provision, one line for each outcome. */
export function describeSummary({ created, updated, removed }: Summary): string {
  const lines = Object.entries({ created, updated, removed }).flatMap(([what, names]) =>
    names.map((name) => `${what} ${name}`),
  );
  return lines.length === 0 ? 'nothing changed' : lines.join('\n');
}

/** Hashes the passwords of new accounts before the transaction, because hashing is slow on purpose. */
async function hashNewPasswords(db: Db, users: readonly UserEntry[]): Promise<Map<string, string>> {
  const known = await db.orm.user.findMany({
    where: { email: { in: users.map(({ email }) => email) } },
    select: { email: true },
  });
  const emails = new Set(known.map(({ email }) => email));
  const hashes = new Map<string, string>();
  for (const { email, password } of users) {
    if (password && !emails.has(email)) hashes.set(email, await hashPassword(password));
  }
  return hashes;
}

/** Requires the time zones of all websites, in one look, since PostgreSQL reads its files for each. */
async function checkTimeZones(run: Run, teams: Document['teams']): Promise<void> {
  const zones = teams.flatMap(({ websites = [] }) => websites.flatMap((entry) => entry.time_zone ?? []));
  const unknown = await unknownTimeZones(run.tx, [...new Set(zones)]);
  for (const [team, { websites = [] }] of teams.entries()) {
    for (const [website, { time_zone: zone }] of websites.entries()) {
      if (zone === undefined || !unknown.has(zone)) continue;
      const path = ['teams', team, 'websites', website, 'time_zone'];
      run.faults.push({ path, message: UNKNOWN_TIME_ZONE });
    }
  }
}

async function applyPlan(run: Run, path: Path, entry: PlanEntry): Promise<void> {
  const { tx, actor } = run;
  const { code } = entry;
  const settings = {
    name: entry.name,
    notificationsPerMonth: entry.notifications_per_month,
    submissionsPerMinute: entry.submissions_per_minute,
    submissionsPerHour: entry.submissions_per_hour,
  };
  const stored = await tx.plan.findUnique({ where: { code } });
  if (stored) {
    addToSummary(run, await updatePlan(tx, stored, given(settings), actor), `plan ${code}`);
  } else if (checkSettings(run, path, entry, ['name'])) {
    await createPlan(tx, { ...settings, code, name: entry.name }, actor);
    addToSummary(run, 'created', `plan ${code}`);
  }
}

/** What is known about new accounts, by address: the hash of a password, and the account that has left the address. */
type Known = Readonly<{
  hashes: ReadonlyMap<string, string>;
  former: ReadonlyMap<string, Pick<User, 'email'>>;
}>;

async function applyUser(run: Run, path: Path, entry: UserEntry, { hashes, former }: Known): Promise<void> {
  const { tx, actor } = run;
  const { email, name, staff } = entry;
  const settings = given({ name, staff });
  const stored = await findAccount(tx, email, settings);
  if (stored) {
    addToSummary(run, await updateUser(tx, stored, settings, actor), `user ${email}`);
    if (staff === false) await endViewsWithin(tx, stored.id, actor);
    return;
  }
  const leaver = former.get(email);
  // A second account of the same person would take the memberships of the first, whose tokens would be revoked.
  if (leaver) {
    const message = `was left by the account ${leaver.email}: name that, or create another one in the panel first`;
    run.faults.push({ path: [...path, 'email'], message });
  } else if (checkSettings(run, path, entry, ['name']) && checkPassword(run, path, entry)) {
    const passwordHash = hashes.get(email) ?? null;
    await createUser(tx, { email, name: entry.name, staff: staff ?? false, passwordHash }, actor);
    addToSummary(run, 'created', `user ${email}`);
  }
}

/** Checks the password of a new account. A document may go on to have an old one that the account has replaced. */
function checkPassword(run: Run, path: Path, { password }: UserEntry): boolean {
  const checked = newPassword.nullish().safeParse(password);
  for (const { message } of checked.error?.issues ?? []) {
    run.faults.push({ path: [...path, 'password'], message });
  }
  return checked.success;
}

/** Finds the account of an address. One that is to change is locked, or it might be deleted before it does. */
async function findAccount(tx: Transaction, email: string, settings: UserSettings): Promise<User | null> {
  const read = () => tx.user.findUnique({ where: { email } });
  const found = await read();
  if (!found || !changes(found, settings)) return found;
  await lockAccountOf(tx, email, 'KEY SHARE');
  return read();
}
