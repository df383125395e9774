import { missingSecrets, saveChain } from '../captcha/editing/save-chain.js';
import type { Transaction } from '../db/client.js';
import { placementRuleFaults } from '../forms/placements/placement-rules.js';
import { type PlacementSettings, savePlacements } from '../forms/placements/save-placements.js';
import type { Team, Website } from '../generated/prisma/client.js';
import { given } from '../lib/changes.js';
import { unknownDepartments } from '../websites/editing/departments.js';
import {
  createWebsite,
  REQUIRED_SETTINGS,
  type StoredWebsite,
  updateWebsite,
} from '../websites/editing/save-website.js';
import { isHostOfPages, NO_HOST_OF_PAGES } from '../websites/host.js';
import { lockWebsiteRow } from '../websites/websites.queries.js';
import type { TeamEntry } from './document.schema.js';
import type { Path } from './faults.js';
import { addToSummary, checkSettings, type Run } from './run.js';
import type { CaptchaEntry, PlacementEntry, WebsiteEntry } from './website.schema.js';

/** The team of a website, and its forms by slug; null: the form is in the document but has faults. */
type Home = Readonly<{ team: Team; formIds: ReadonlyMap<string, number | null> }>;

/**
 * Locks the stored websites of a document, so that what the panel saves meanwhile waits. It does so in the order of
 * their ids and before the row of any team, as an edit of many does, so that the two cannot wait for each other: a
 * renamed department changes the row of each team that shows it.
 */
export async function lockWebsites(tx: Transaction, teams: readonly TeamEntry[]): Promise<void> {
  const named = new Map(
    teams.map(({ slug, websites = [] }) => [slug, new Set(websites.map(({ id, host }) => id ?? host))]),
  );
  const stored = await tx.website.findMany({
    where: { team: { slug: { in: [...named.keys()] } } },
    select: { id: true, host: true, team: { select: { slug: true } } },
    orderBy: { id: 'asc' },
  });
  for (const { id, host, team } of stored) {
    const ofTeam = named.get(team.slug);
    if (ofTeam?.has(id) || ofTeam?.has(host)) await lockWebsiteRow(tx, id);
  }
}

/** Applies a website with its departments, captcha chain and forms. The caller has locked it. */
export async function applyWebsite(run: Run, path: Path, home: Home, entry: WebsiteEntry): Promise<void> {
  const { tx, cipher, actor } = run;
  const saved = await saveWebsite(run, path, home.team, entry);
  if (!saved) return;
  const { website, isNew } = saved;
  const name = `${home.team.slug}/${website.host}`;
  if (entry.captcha && (await checkSecrets(run, [...path, 'captcha'], website, entry.captcha))) {
    const chain = entry.captcha.map(stepSettings);
    const changed = await saveChain({ tx, cipher }, website, chain, actor);
    if (changed) addToSummary(run, isNew ? 'created' : 'updated', `captcha chain ${name}`);
  }
  if (entry.forms) {
    const placements = await placementSettings(run, [...path, 'forms'], home, entry.forms);
    const slugOf = new Map([...home.formIds].map(([slug, id]) => [id, slug]));
    for (const { formId, outcome } of await savePlacements(tx, website, placements, actor)) {
      addToSummary(run, outcome, `placement ${name}/${slugOf.get(formId)}`);
    }
  }
}

async function saveWebsite(
  run: Run,
  path: Path,
  team: Team,
  entry: WebsiteEntry,
): Promise<{ website: Pick<Website, 'id' | 'teamId' | 'host'>; isNew: boolean } | null> {
  const { tx, cipher, actor } = run;
  const stored = await findWebsite(run, team, entry);
  if (stored === 'foreign') {
    run.faults.push({ path: [...path, 'id'], message: 'is the id of a website of another team' });
    return null;
  }
  if (stored && run.websiteIds.has(stored.id)) {
    const key = entry.id === undefined ? 'host' : 'id';
    run.faults.push({ path: [...path, key], message: 'is the website of an earlier entry' });
    return null;
  }
  if (entry.host !== undefined && entry.host !== stored?.host && (await isTaken(run, team, entry.host))) {
    run.faults.push({ path: [...path, 'host'], message: 'is the host of another website of the team' });
    return null;
  }
  if (entry.host !== undefined && entry.host !== stored?.host && !isHostOfPages(entry.host)) {
    run.faults.push({ path: [...path, 'host'], message: NO_HOST_OF_PAGES });
    return null;
  }
  const departments = entry.departments && (await knownDepartments(run, path, entry.departments));
  const { id, captcha: _, forms: __, time_zone: timeZone, ...same } = entry;
  const settings = { ...same, timeZone, departments };
  if (stored) {
    run.websiteIds.add(stored.id);
    const name = `website ${team.slug}/${entry.host ?? stored.host}`;
    addToSummary(run, await updateWebsite(tx, stored, settings, actor), name);
    return { website: { ...stored, host: entry.host ?? stored.host }, isNew: false };
  }
  if (!checkSettings(run, path, entry, REQUIRED_SETTINGS)) return null;
  const required = {
    name: entry.name,
    host: entry.host,
    url: entry.url,
    locale: entry.locale,
    email: entry.email,
  };
  const website = await createWebsite(
    { tx, cipher },
    { id, teamId: team.id },
    { ...settings, ...required },
    actor,
  );
  addToSummary(run, 'created', `website ${team.slug}/${website.host}`);
  return { website, isNew: true };
}

/** Finds the stored website of an entry, by its id if given, else by team and host. */
async function findWebsite(
  { tx }: Run,
  team: Team,
  { id, host }: WebsiteEntry,
): Promise<StoredWebsite | 'foreign' | null> {
  const include = { departments: { select: { departmentCode: true } } };
  if (id === undefined) return tx.website.findFirst({ where: { teamId: team.id, host }, include });
  const website = await tx.website.findUnique({ where: { id }, include });
  return website && website.teamId !== team.id ? 'foreign' : website;
}

const isTaken = async ({ tx }: Run, team: Team, host: string): Promise<boolean> =>
  (await tx.website.count({ where: { teamId: team.id, host } })) > 0;

async function knownDepartments(run: Run, path: Path, codes: readonly string[]): Promise<string[]> {
  const unknown = await unknownDepartments(run.tx, codes);
  for (const [index, code] of codes.entries()) {
    if (!unknown.has(code)) continue;
    run.faults.push({ path: [...path, 'departments', index], message: `there is no department ${code}` });
  }
  return codes.filter((code) => !unknown.has(code));
}

const stepSettings = ({ key, site_key, secret, project_id, api_key, min_score }: CaptchaEntry) => ({
  key,
  siteKey: site_key,
  projectId: project_id,
  minScore: min_score,
  ...given({ secret, apiKey: api_key }),
});

/**
 * Requires the secrets of each captcha step's type, given or stored: each missing one becomes a fault.
 *
 * @returns whether none is missing.
 */
async function checkSecrets(
  run: Run,
  path: Path,
  website: { id: string },
  entries: readonly CaptchaEntry[],
): Promise<boolean> {
  const chain = entries.map(({ key, secret, api_key: apiKey }) => ({ key, secret, apiKey }));
  const missing = (await missingSecrets(run.tx, website.id, chain)).map(({ index, setting }) => ({
    path: [...path, index, setting === 'apiKey' ? 'api_key' : setting],
    message: `is required for ${entries[index]!.key}`,
  }));
  run.faults.push(...missing);
  return missing.length === 0;
}

async function placementSettings(
  run: Run,
  path: Path,
  { formIds }: Home,
  entries: readonly PlacementEntry[],
): Promise<PlacementSettings[]> {
  const settings: PlacementSettings[] = [];
  for (const [index, entry] of entries.entries()) {
    const formId = formIds.get(entry.slug);
    if (formId === undefined) {
      const message = `the team has no form ${entry.slug}`;
      run.faults.push({ path: [...path, index, 'slug'], message });
    }
    if (!formId) continue;
    const rules = entry.recipient_rules ?? [];
    for (const { path: at, message } of await placementRuleFaults(run.tx, formId, rules)) {
      run.faults.push({ path: [...path, index, 'recipient_rules', ...at], message });
    }
    settings.push({
      formId,
      enabled: entry.enabled,
      cssSelector: entry.css_selector,
      injectionPosition: entry.injection_position,
      htmlWrapper: entry.html_wrapper,
      appearance: entry.appearance,
      confirmationMessage: entry.confirmation_message,
      recipients: entry.recipients ?? [],
      recipientRules: rules,
    });
  }
  return settings;
}
