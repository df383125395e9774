import { v7 as uuid } from 'uuid';
import { SYSTEM_ACTOR } from '../../src/audit/audit.js';
import { applyDocument } from '../../src/provision/apply.js';
import { readDocument } from '../../src/provision/document.js';
import type { Services } from '../../src/services.js';
import { ABILITIES, type Ability } from '../../src/tokens/access.js';
import type { WebhookSettings } from '../../src/webhooks/webhook.schema.js';

export const TEST_ACTOR = SYSTEM_ACTOR;

type Entry = Record<string, unknown>;

/** A contact form with one field of most kinds; overrides replace keys. */
export const contactForm = (overrides: Entry = {}): Entry => ({
  slug: 'contact',
  name: 'Contact',
  source_locale: 'fr',
  submit_button_text: 'Envoyer',
  confirmation_message: 'Merci.',
  fields: [
    { name: 'name', type: 'text', label: 'Nom', attributes: { maxlength: '40' } },
    { name: 'email', type: 'email', label: 'E-mail', is_required: true },
    {
      name: 'topic',
      type: 'select',
      label: 'Sujet',
      options: [
        { value: 'quote', label: 'Devis' },
        { value: 'other', label: 'Autre' },
      ],
    },
    {
      name: 'budget',
      type: 'number',
      label: 'Budget',
      visibility: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] },
    },
  ],
  translations: {
    en: { confirmation_message: 'Thank you.', fields: { email: { label: 'E-mail address' } } },
  },
  ...overrides,
});

/** A website that carries the contact form and has no captcha chain; overrides replace keys. */
export const website = (host: string, overrides: Entry = {}): Entry => ({
  name: host,
  host,
  url: `https://${host}`,
  locale: 'fr',
  time_zone: 'Europe/Paris',
  email: `hello@${host}`,
  forms: [{ slug: 'contact' }],
  ...overrides,
});

/** A team with an owner, an admin, a member, the contact form and one website; overrides replace keys. */
export const team = (slug: string, overrides: Entry = {}): Entry => ({
  slug,
  name: slug,
  plan: 'default',
  members: ['owner', 'admin', 'member'].map((role) => ({ email: `${role}@${slug}.test`, role })),
  forms: [contactForm()],
  websites: [website(`www.${slug}.test`)],
  ...overrides,
});

/** So that only tests about limits meet them. */
const AMPLE = { submissions_per_minute: 10_000, submissions_per_hour: 100_000 };

/** Provisions teams with their members' accounts, through the real provision document. */
export async function provision(
  services: Pick<Services, 'db' | 'cipher' | 'teams' | 'config'>,
  teams: Entry[],
  plan: Entry = {},
): Promise<void> {
  const emails = teams.flatMap(({ members }) => (members as { email: string }[]).map(({ email }) => email));
  const document = {
    plans: [{ code: 'default', name: 'Default', ...AMPLE, ...plan }],
    users: [...new Set(emails)].map((email) => ({ email, name: email })),
    teams,
  };
  const read = readDocument(JSON.stringify(document), services.config.locales);
  await applyDocument(services, read, TEST_ACTOR);
}

type TokenOptions = { abilities?: readonly Ability[]; expiresAt?: Date | null };

/** Creates a token of a user for a team, and returns its value. */
export async function createToken(
  { db, tokens }: Pick<Services, 'db' | 'tokens'>,
  teamSlug: string,
  email: string,
  { abilities = ABILITIES, expiresAt = null }: TokenOptions = {},
): Promise<string> {
  const { id: teamId } = await db.orm.team.findUniqueOrThrow({ where: { slug: teamSlug } });
  const { id: userId } = await db.orm.user.findUniqueOrThrow({ where: { email } });
  const created = await tokens.create({ teamId, userId, name: 'test', abilities, expiresAt }, TEST_ACTOR);
  return created.value;
}

/** The id of the website of a host. */
export async function websiteId({ db }: Pick<Services, 'db'>, host: string): Promise<string> {
  return (await db.orm.website.findFirstOrThrow({ where: { host } })).id;
}

/** The row of a website that needs neither a form nor a signature. */
export const websiteRow = (teamId: number, id: string) => ({
  id,
  teamId,
  name: id,
  host: `${id}.test`,
  url: `https://${id}.test`,
  locale: 'fr',
  email: 'a@b.test',
  signatureKeyCipher: Buffer.from('x'),
});

/** Adds websites to a team, each with the team's only form and named by its id; the first has the lowest. */
export async function addWebsites(
  { db: { orm } }: Pick<Services, 'db'>,
  slug: string,
  count: number,
): Promise<string[]> {
  const { id: formId, teamId } = await orm.form.findFirstOrThrow({ where: { team: { slug } } });
  const ids = Array.from({ length: count }, () => uuid()).toSorted();
  await orm.website.createMany({ data: ids.map((id) => websiteRow(teamId, id)) });
  await orm.placement.createMany({ data: ids.map((websiteId) => ({ websiteId, formId, teamId })) });
  return ids;
}

/** The settings of an enabled webhook endpoint for all websites and forms of its team. */
export const endpointSettings = (
  url: string,
  events: WebhookSettings['events'] = ['submission.created'],
): WebhookSettings => ({ url, events, websiteIds: [], formIds: [], description: '', enabled: true });
