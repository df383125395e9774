import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { createUser } from '../accounts/users.js';
import { generatePassword, hashPassword, newPassword } from '../auth/passwords.js';
import { BACKFILLS } from '../backfills.js';
import { describeBackfills } from '../db/backfill/describe-backfills.js';
import { isUniqueViolation } from '../db/database-errors.js';
import { migrationState } from '../db/migration/migrate.js';
import { StartError, UsageError } from '../errors.js';
import { personName } from '../lib/input.schema.js';
import { isEmailAddress } from '../lib/text/email-address.js';
import { applyDocument, describeSummary } from '../provision/apply.js';
import { readDocument } from '../provision/document.js';
import { ABILITIES } from '../tokens/access.js';
import { nameFault } from '../tokens/token-name.js';
import { ACTOR, print } from './output.js';
import { openRuntime, withDatabase, withServices } from './runtime.js';

function required(options: Readonly<Record<string, unknown>>, name: string): string {
  const value = options[name];
  if (typeof value !== 'string' || value.trim() === '') throw new UsageError(`--${name} is required.`);
  return value;
}

function readExpiry(value: string | undefined): Date | null {
  if (value === undefined) return null;
  const isTime = z.union([z.iso.datetime({ offset: true }), z.iso.date()]).safeParse(value).success;
  const date = new Date(value);
  if (!isTime || date <= new Date()) {
    throw new UsageError('--expires-at must be in the future, as in 2030-01-31T12:00:00Z.');
  }
  return date;
}

function readAbilities(value: string | undefined): string[] {
  const abilities = value === undefined ? [...ABILITIES] : value.split(',').map((ability) => ability.trim());
  const unknown = abilities.filter((ability) => !(ABILITIES as readonly string[]).includes(ability));
  if (unknown.length > 0) {
    throw new UsageError(`--abilities: unknown ${unknown.join(', ')}; there are ${ABILITIES.join(', ')}.`);
  }
  return [...new Set(abilities)];
}

/** `formgate migrate`: prints on stderr what each migration locks, and on stdout what it applied. */
export async function migrateCommand({ status }: { status?: boolean }): Promise<void> {
  if (status) return withDatabase({ process: 'migrate' }, printMigrations);
  const announce = (line: string) => void process.stderr.write(`${line}\n`);
  const runtime = await openRuntime({ process: 'migrate', announce });
  for (const name of runtime.migrated) print(`Applied ${name}`);
  if (runtime.migrated.length === 0) print('The database is up to date.');
  await runtime.close();
}

/** `formgate migrate --status`: prints which migrations are applied, pending, or of a later version, and backfills. */
async function printMigrations(databaseUrl: string): Promise<void> {
  const { applied, pending, unknown } = await migrationState(databaseUrl);
  for (const { name, finishedAt } of applied) print(`applied  ${name}  ${finishedAt?.toISOString()}`);
  for (const name of unknown) print(`later    ${name}`);
  for (const { name } of pending) print(`pending  ${name}`);
  for (const line of await describeBackfills(databaseUrl, BACKFILLS)) print(`backfill ${line}`);
}

/** Reads a file as UTF-8. @throws StartError when it cannot be read, or is in another encoding. */
async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`Cannot read ${file}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`);
  });
  if (!isUtf8(bytes)) throw new StartError(`${file} is not UTF-8. Save it in that encoding.`);
  return bytes.toString();
}

/** `formgate provision <file>`: applies all of the document or nothing. */
export async function provisionCommand(file: string): Promise<void> {
  const source = await readText(file);
  await withServices('provision', async (services) => {
    const document = readDocument(source, services.config.locales);
    print(describeSummary(await applyDocument(services, document, { ...ACTOR, channel: 'provision' })));
  });
}

type TokenOptions = {
  team?: string;
  user?: string;
  name?: string;
  abilities?: string;
  'expires-at'?: string;
};

/** `formgate token create`: prints the token's value and nothing else. */
export async function tokenCreate(options: TokenOptions): Promise<void> {
  const slug = required(options, 'team');
  const email = required(options, 'user').toLowerCase();
  const name = required(options, 'name').trim();
  const fault = nameFault(name);
  if (fault) throw new UsageError(`--name: ${fault}`);
  const abilities = readAbilities(options.abilities);
  const expiresAt = readExpiry(options['expires-at']);
  await withServices('token', async ({ db, tokens }) => {
    const [team, user] = await Promise.all([
      db.orm.team.findUnique({ where: { slug } }),
      db.orm.user.findUnique({ where: { email } }),
    ]);
    if (!team) throw new StartError(`There is no team ${slug}.`);
    if (!user) throw new StartError(`There is no account ${email}.`);
    const { value } = await tokens.create(
      { teamId: team.id, userId: user.id, name, abilities, expiresAt },
      ACTOR,
    );
    print(value);
  });
}

type UserOptions = { email?: string; name?: string; staff?: boolean; 'password-stdin'?: boolean };

async function readPassword(): Promise<string> {
  const bytes = await buffer(process.stdin);
  if (!isUtf8(bytes)) throw new StartError('The password is not UTF-8.');
  return new TextDecoder().decode(bytes).replace(/\r?\n$/, '');
}

/** `formgate user create`: without `--password-stdin` it generates a password and prints it. */
export async function userCreate(options: UserOptions): Promise<void> {
  const email = required(options, 'email').toLowerCase();
  const named = personName.safeParse(required(options, 'name'));
  if (!isEmailAddress(email)) throw new UsageError('--email must be an e-mail address.');
  if (!named.success) throw new UsageError(`--name ${named.error.issues[0]!.message}.`);
  const fromStdin = options['password-stdin'] ?? false;
  const password = fromStdin ? await readPassword() : generatePassword();
  const [passwordFault] = newPassword.safeParse(password).error?.issues ?? [];
  if (passwordFault) throw new StartError(`The password ${passwordFault.message}.`);
  await withServices('user', async ({ db }) => {
    const passwordHash = await hashPassword(password);
    await db.orm
      .$transaction((tx) =>
        createUser(tx, { email, name: named.data, passwordHash, staff: options.staff ?? false }, ACTOR),
      )
      .catch((error) => {
        throw isUniqueViolation(error) ? new StartError(`There already is an account ${email}.`) : error;
      });
    if (!fromStdin) print(password);
  });
}

/**
 * `formgate user reset`: sets a new password and prints it, as the panel does for staff. A disabled account is refused,
 * since it could not log in with it; an account of the staff that can enable it always remains.
 */
export async function userReset(address: string, isSecondFactorLost: boolean): Promise<void> {
  const email = address.toLowerCase();
  await withServices('user', async ({ db, accounts }) => {
    const user = await db.orm.user.findUnique({ where: { email } });
    if (!user) throw new StartError(`There is no account ${email}.`);
    if (user.disabledAt) {
      throw new StartError(
        `The account ${email} is disabled, so no password lets it in. Staff enable it in the panel, under People; reset it then.`,
      );
    }
    if (isSecondFactorLost) await accounts.resetSecondFactor(user.id, ACTOR);
    print((await accounts.resetPassword(user.id, ACTOR)).password);
  });
}

/** `formgate team suspend` and `formgate team resume`: prints what follows for the team's websites. */
export async function teamSetActive(slug: string, active: boolean): Promise<void> {
  await withServices('team', async ({ teams }) => {
    const team = await teams.bySlug(slug);
    if (!team) throw new StartError(`There is no team ${slug}.`);
    await teams.update(team.id, { active }, ACTOR);
    print(
      active
        ? `Team ${slug} is active: the forms of its websites and its tokens work.`
        : `Team ${slug} is suspended: the forms of its websites stop and its tokens are refused, until formgate team resume ${slug}.`,
    );
  });
}
