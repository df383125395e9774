import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SYSTEM_ACTOR } from '../../audit/audit.js';
import { isDemo } from '../../audit/demo-mark.js';
import { PACKAGE_ROOT } from '../../lib/package-root.js';
import { applyDocument } from '../../provision/apply.js';
import { readDocument } from '../../provision/document.js';
import type { Services } from '../../services.js';
import { ABILITIES } from '../../tokens/access.js';
import { keepOnce } from '../kept-file.js';
import { DEMO_DOCUMENT } from './agency.js';
import { fillDemo } from './fill.js';

/** The credentials and names that a first-time user needs to try the product. */
export type Demo = Readonly<{
  /** URL that logs the staff account in, once. */
  loginUrl: string;
  email: string;
  password: string;
  token: string;
  websiteId: string;
  form: string;
  fields: Readonly<Record<string, unknown>>;
  /** Whether the database was filled with the demo's leads. */
  isFilled: boolean;
}>;

const DOCUMENT = new URL('examples/agency.yaml', PACKAGE_ROOT);

/** Names of the example document that the demo shows. */
const STAFF = 'staff@agency.test';
const OWNER = 'claire@lumen-paysage.test';
const TEAM = 'lumen';
const FORM = 'contact';
const FIELDS = {
  name: 'Ada Martin',
  email: 'ada@example.com',
  topic: 'garden',
  surface: 40,
  message: 'Bonjour, je voudrais un jardin.',
  privacy: 1,
  page_url: 'https://corse.lumen-paysage.test/contact',
};

/** Applies the example document and the demo's own, which needs two languages that an installation may not have. */
async function applyDemo(services: Services, password: string): Promise<void> {
  const { locales } = services.config;
  const example = readDocument(await readFile(DOCUMENT, 'utf8'), locales);
  const isOffered = ['fr', 'en'].every((locale) => locales.includes(locale));
  const more = isOffered ? readDocument(JSON.stringify(DEMO_DOCUMENT), locales) : null;
  const document = {
    departments: example.departments,
    plans: [...example.plans, ...(more?.plans ?? [])],
    users: [...example.users, ...(more?.users ?? [])].map((user) => ({ ...user, password })),
    teams: [...example.teams, ...(more?.teams ?? [])],
  };
  await applyDocument(services, document, SYSTEM_ACTOR);
}

/**
 * Loads the example document and the demo's data into a database without teams. It generates the password of the
 * accounts and a token, and keeps both in the data folder so that every start can show them.
 *
 * @returns null when the database holds the user's own data.
 */
export async function loadDemo(services: Services): Promise<Demo | null> {
  const { db, config, tokens, oneTimeLinks } = services;
  const dataDir = resolve(config.dataDir);
  const password = await keepOnce(
    join(dataDir, 'demo-password'),
    () => randomBytes(9).toString('base64url'),
    /^[\w-]{12}$/,
  );
  if ((await db.orm.team.count()) === 0) await applyDemo(services, password);
  await fillDemo(services, SYSTEM_ACTOR);
  const team = await db.orm.team.findUnique({
    where: { slug: TEAM },
    include: { websites: { where: { captchaSteps: { none: {} } }, orderBy: { id: 'asc' }, take: 1 } },
  });
  const owner = await db.orm.user.findUnique({ where: { email: OWNER } });
  const staff = await db.orm.user.findUnique({ where: { email: STAFF } });
  const website = team?.websites[0];
  if (!team || !owner || !staff || !website) return null;

  const tokenFile = join(dataDir, 'demo-token');
  let token = await readFile(tokenFile, 'utf8').catch(() => '');
  if (!(await tokens.authenticate(token))) {
    const created = await tokens.create(
      { teamId: team.id, userId: owner.id, name: 'Demo', abilities: ABILITIES, expiresAt: null },
      SYSTEM_ACTOR,
    );
    token = created.value;
    await writeFile(tokenFile, token, { mode: 0o600 });
  }
  const link = await db.orm.$transaction((tx) => oneTimeLinks.issueLogin(tx, staff.id));
  const loginUrl = oneTimeLinks.addressOf(link);
  const isFilled = await isDemo(db);
  return {
    loginUrl,
    email: STAFF,
    password,
    token,
    websiteId: website.id,
    form: FORM,
    fields: FIELDS,
    isFilled,
  };
}
