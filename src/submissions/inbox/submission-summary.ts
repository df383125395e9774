import type { LocalizedField } from '../../forms/definition/translate.js';
import { firstCharacters, isLongerThan } from '../../lib/text/characters.js';
import { withoutAccents } from '../../lib/text/decompose.js';
import { singleLine } from '../../lib/text/text.js';
import { type Recorded, shownFields } from './submission-fields.js';

/** A submission in a line of a list: who sent it, and what it is about. */
export type Summary = Readonly<{ title: string | null; excerpt: string | null }>;

/** What a field says about its submission. */
type Role =
  | 'given'
  | 'family'
  | 'name'
  | 'company'
  | 'email'
  | 'tel'
  | 'topic'
  | 'message'
  | 'other'
  | 'none';

const MAX_TITLE = 80;
const MAX_EXCERPT = 160;

const BY_TYPE: Partial<Record<LocalizedField['type'], Role>> = {
  email: 'email',
  tel: 'tel',
  textarea: 'message',
  select: 'topic',
  radio: 'topic',
  consent: 'none',
  hidden: 'none',
};

/** The tokens of `autocomplete` in the HTML standard. */
const BY_AUTOCOMPLETE: Readonly<Record<string, Role>> = {
  name: 'name',
  'given-name': 'given',
  'family-name': 'family',
  organization: 'company',
};

/** Words of names and labels in the platform's languages, without accents; the first that is found decides. */
const BY_WORDS: readonly (readonly [RegExp, Role])[] = [
  [/\b(company|organi[sz]ation|societe|entreprise|firma|unternehmen|empresa|azienda|bedrijf)\b/, 'company'],
  [/\b(subject|topic|sujet|objet|betreff|thema|asunto|oggetto|onderwerp|assunto)\b/, 'topic'],
  [/\b(first ?name|given ?name|prenom|vorname|voornaam|primeiro nome)\b/, 'given'],
  [
    /\b(last ?name|family ?name|surname|nom de famille|nachname|apellidos?|cognome|achternaam|apelido|sobrenome)\b/,
    'family',
  ],
  [/\b(name|full ?name|nom|nombre|nome|naam)\b/, 'name'],
];

const plain = (text: string): string =>
  withoutAccents(text.replace(/([a-z])([A-Z])/g, '$1 $2'))
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ');

function roleOf({ name, label, type, attributes }: LocalizedField): Role {
  const known = BY_TYPE[type];
  if (known) return known;
  if (type !== 'text') return 'other';
  const completed = BY_AUTOCOMPLETE[attributes.autocomplete?.trim().split(/\s+/).at(-1) ?? ''];
  if (completed) return completed;
  const found = (text: string) => BY_WORDS.find(([words]) => words.test(plain(text)))?.[1];
  return found(name) ?? found(label) ?? 'other';
}

/** Roles by field, read once for each form and language of a request, whose leads share the fields. */
const known = new WeakMap<readonly LocalizedField[], ReadonlyMap<string, Role>>();

function rolesOf(fields: readonly LocalizedField[]): ReadonlyMap<string, Role> {
  const roles = known.get(fields) ?? new Map(fields.map((field) => [field.name, roleOf(field)]));
  known.set(fields, roles);
  return roles;
}

function shortened(parts: readonly (string | undefined)[], separator: string, most: number): string | null {
  const text = singleLine(parts.filter(Boolean).join(separator));
  if (!isLongerThan(text, most)) return text || null;
  return `${firstCharacters(text, most - 1).trimEnd()}…`;
}

/**
 * Sums a submission up from its declared fields: the title is who sent it, by name, else company, e-mail address or
 * telephone number; the excerpt is the topic and the message, else the other values.
 *
 * @param fields The form's, in the language of the submission.
 */
export function summaryOf(submission: Recorded, fields: readonly LocalizedField[]): Summary {
  const roles = rolesOf(fields);
  const texts = new Map<Role, string[]>();
  for (const { name, text } of shownFields(submission, fields)) {
    const role = roles.get(name);
    if (role && text.trim()) texts.set(role, [...(texts.get(role) ?? []), text]);
  }
  const first = (role: Role) => texts.get(role)?.[0];
  const name = first('given')
    ? [first('given'), first('family') ?? first('name')]
    : [first('name') ?? first('family')];
  const who = [first('company'), first('email'), first('tel')].find(Boolean);
  const what = [first('topic'), first('message')];
  return {
    title: shortened(name, ' ', MAX_TITLE) ?? shortened([who], ' ', MAX_TITLE),
    excerpt: shortened(what.some(Boolean) ? what : (texts.get('other') ?? []), ' · ', MAX_EXCERPT),
  };
}
