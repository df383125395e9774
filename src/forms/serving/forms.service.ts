import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { createCache, type OfTeam } from '../../cache/cache.js';
import type { Changes } from '../../cache/change-feed.js';
import { type Db, readSnapshot } from '../../db/client.js';
import { createInterner } from '../../lib/interner.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import type { ServedWebsite, Websites } from '../../websites/websites.service.js';
import { FORM_INCLUDE, type FormContent, formContent, storedRules } from '../definition/form.mapper.js';
import type { FieldDefinition, FormDefinition } from '../definition/form-definition.js';
import { configurationLocale, offeredLocales } from '../definition/locales.js';
import { type FormPatterns, readPatterns } from '../definition/patterns.js';
import { type LocalizedField, localizeForm } from '../definition/translate.js';
import type { RecipientRules } from '../recipients/recipient-rules.js';
import { type ConfigEntry, readConfigEntries } from './config-query.js';
import {
  type ConfigAnswer,
  configAnswer,
  type FormConfig,
  formFragment,
  placementFragment,
} from './form-config.js';

/** A form with its placement on one website: its definition, and the placement's settings. */
export type PlacedForm = Readonly<{
  id: number;
  definition: FormDefinition;
  patterns: FormPatterns;
  /** The placement's own message, for the website's language only; null means the form's message. */
  messageOverride: string | null;
  recipientRules: RecipientRules;
}>;

/** The form's content for an e-mail to the client. */
export type EmailForm = Readonly<{ name: string; definition: FormDefinition }>;

/** `digest` is that of the content. */
type CachedForm = OfTeam & Readonly<{ content: FormContent; digest: string; patterns: FormPatterns }>;

type ServedPlacement = ServedWebsite['placements'][number];

type CachedAnswer = OfTeam & ConfigAnswer;

/** Returns the fields of a form in a language; texts without a translation are in the form's source language. */
export type FieldsIn = (locale: string) => readonly LocalizedField[];

/** Limit of cached forms, in characters of JSON; memory is up to three times that. Interned fields count each time. */
const MAX_CACHED_CHARACTERS = 32_000_000;

/** Overhead of a cached answer beside its key and its body: its headers, and what the cache itself needs. */
const ENTRY_BYTES = 1_024;

/** Limit of cached answers of the configuration endpoint: those of 10,000 websites with three forms each. */
const MAX_CACHED_BYTES = 80_000_000;

/** Memory of one instruction of a pattern, in characters of JSON. */
const CHARACTERS_PER_INSTRUCTION = 100;

/** Limit of cached patterns, in instructions. This cache survives the invalidation of a team. */
const MAX_CACHED_INSTRUCTIONS = 100_000;

/** Interns a field: an agency's forms have many equal fields across teams. */
type InternField = (key: string, field: FieldDefinition) => FieldDefinition;

type ReadPatterns = (id: number, content: FormContent) => Promise<FormPatterns>;

const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value), 'base64');

async function loadForm(
  db: Db,
  id: number,
  intern: InternField,
  readPatternsOf: ReadPatterns,
): Promise<CachedForm | null> {
  const form = await readSnapshot(db, (tx) => tx.form.findUnique({ where: { id }, include: FORM_INCLUDE }));
  if (!form) return null;
  const content = formContent(form);
  const fields = content.fields.map((field) => intern(digestOf(field), field));
  const patterns = await readPatternsOf(id, content);
  return { teamId: form.teamId, content: { ...content, fields }, digest: digestOf(content), patterns };
}

/** Localizes a form's fields once for each language in which they are requested. */
function fieldsIn(content: FormContent): FieldsIn {
  const known = new Map<string, readonly LocalizedField[]>();
  return (locale) => {
    const fields = known.get(locale) ?? localizeForm(content, locale).fields;
    known.set(locale, fields);
    return fields;
  };
}

export type Forms = ReturnType<typeof createForms>;

/** Serves forms through a cache: to the pages of websites, to submissions, and to the e-mails about them. */
export function createForms({
  db,
  changeFeed,
  websites,
  locales,
  log,
}: {
  db: Db;
  changeFeed: Changes;
  websites: Pick<Websites, 'find'>;
  /** The platform's languages. */
  locales: readonly string[];
  log: Logger;
}) {
  /** Keyed by form and version, because any change of a team invalidates its cached forms. */
  const patternsByVersion = new LRUCache<string, FormPatterns>({
    maxSize: MAX_CACHED_INSTRUCTIONS,
    sizeCalculation: ({ size }) => size + 1,
  });

  async function readPatternsOf(id: number, { version, fields }: FormContent): Promise<FormPatterns> {
    const key = `${id} ${version}`;
    const known = patternsByVersion.get(key);
    if (known) return known;
    const patterns = await readPatterns(fields);
    patternsByVersion.set(key, patterns);
    for (const { field, reason } of patterns.faults) {
      log.warn({ formId: id, version, field, reason }, 'Pattern not enforced');
    }
    return patterns;
  }

  const internField = createInterner<FieldDefinition>();
  const { get: readForm } = createCache({
    changeFeed,
    load: (id: number) => loadForm(db, id, internField, readPatternsOf),
    weightOf: ({ content, patterns }) =>
      JSON.stringify(content).length + CHARACTERS_PER_INSTRUCTION * patterns.size,
    maxWeight: MAX_CACHED_CHARACTERS,
  });

  /** Reads an active form with an enabled placement on a website. */
  async function readPlaced({ placements }: ServedWebsite, slug: string) {
    const placement = placements.find((each) => each.slug === slug);
    if (!placement) return null;
    const form = await readForm(placement.formId);
    return form?.content.active ? { placement, form } : null;
  }

  /** What the placements of cached websites are in an answer, so that their markup is checked once. */
  const placementParts = new WeakMap<
    ServedPlacement,
    Readonly<{ digest: string; fragment: FormConfig['placement'] }>
  >();

  function partsOf(placement: ServedPlacement) {
    const known = placementParts.get(placement);
    if (known) return known;
    const parts = { digest: digestOf(placement), fragment: placementFragment(placement) };
    placementParts.set(placement, parts);
    return parts;
  }

  /**
   * Reads a form's definition for an answer.
   *
   * @param built The forms that the answer has already, by id and language: an unknown language is the form's own.
   */
  async function readConfig(
    website: ServedWebsite,
    { slug, language }: ConfigEntry,
    built: Map<string, FormConfig>,
  ): Promise<FormConfig | null> {
    const found = await readPlaced(website, slug);
    if (!found) return null;
    const locale = configurationLocale(language, {
      offered: offeredLocales(found.form.content),
      source: found.form.content.sourceLocale,
      websiteLocale: website.locale,
      platformLocales: locales,
    });
    const key = `${found.placement.formId} ${locale}`;
    const known = built.get(key);
    if (known) return known;
    // A large form takes a while, and an answer may have twenty.
    if (built.size > 0) await nextTurn();
    const { digest, fragment } = partsOf(found.placement);
    const config = {
      version: found.form.content.version,
      stored: digestOf([found.form.digest, digest]),
      form: formFragment(found.form.content, locale),
      placement: fragment,
    };
    built.set(key, config);
    return config;
  }

  /** Reads an answer. The key is the website's id, a space, and the entries, each once. */
  const { get: readAnswer } = createCache({
    changeFeed,
    async load(key: string): Promise<CachedAnswer | null> {
      const [websiteId = '', entries] = key.split(' ');
      const website = await websites.find(websiteId);
      if (!website) return null;
      const configs = new Map<string, FormConfig | null>();
      const built = new Map<string, FormConfig>();
      for (const entry of readConfigEntries(entries)) {
        configs.set(entry.key, await readConfig(website, entry, built));
      }
      return { teamId: website.teamId, ...configAnswer(configs) };
    },
    weightOf: ({ body }, key) => body.length + key.length + ENTRY_BYTES,
    maxWeight: MAX_CACHED_BYTES,
  });

  return {
    /**
     * Finds the form of a slug on a website, through the cache. Treat the result as immutable.
     *
     * @returns null when the form does not exist, is inactive, or has no enabled placement on this website.
     */
    async findPlaced(website: ServedWebsite, slug: string): Promise<PlacedForm | null> {
      const found = await readPlaced(website, slug);
      if (!found) return null;
      const { formId, confirmationMessage, recipientRules } = found.placement;
      const { content, patterns } = found.form;
      return {
        id: formId,
        definition: content,
        patterns,
        messageOverride: confirmationMessage,
        recipientRules: { form: content.recipientRules, placement: storedRules(recipientRules) },
      };
    },

    /**
     * Answers with the definitions of forms on a website, each in its configuration language, through the cache.
     *
     * @param f The query parameter, as Express parses it.
     * @returns null when the website no longer exists.
     * @throws 422 when the parameter is malformed.
     */
    async configure(website: ServedWebsite, f: unknown): Promise<ConfigAnswer | null> {
      const entries = readConfigEntries(f);
      return readAnswer(`${website.id} ${entries.map(({ key }) => key).join()}`);
    },

    /** Reads the fields of forms through the cache, inactive and unplaced forms included; null for a missing form. */
    labels(ids: readonly number[]): Promise<(FieldsIn | null)[]> {
      return Promise.all(
        ids.map(async (id) => {
          const form = await readForm(id);
          return form && fieldsIn(form.content);
        }),
      );
    },

    /**
     * Reads the content for an e-mail about a form's submission, through the cache, even when the form is no longer
     * active or placed. Treat the result as immutable.
     */
    async findForEmail(formId: number): Promise<EmailForm> {
      const form = await readForm(formId);
      if (!form) throw new Error(`There is no form ${formId}.`);
      return { name: form.content.name, definition: form.content };
    },
  };
}
