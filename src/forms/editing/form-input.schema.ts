import { z } from 'zod';
import type { Fault } from '../../lib/faults.js';
import { httpUrl, platformLocale, uniqueList } from '../../lib/input.schema.js';
import { addOptionLabels, type FormContent } from '../definition/form.mapper.js';
import {
  FIELD_SCHEMA,
  FORM_SCHEMA,
  MAX_COUNTS,
  optionValue,
  paragraph,
  title,
} from '../definition/form.schema.js';
import type { FieldDefinition, FieldTranslation } from '../definition/form-definition.js';
import { formFaults } from '../definition/form-faults.js';
import { type FormPatterns, readPatterns } from '../definition/patterns.js';
import { recipientRules } from '../recipients/recipient-rule.schema.js';
import { recipientRuleFaults } from '../recipients/rule-faults.js';

const byLocale = ({ locale }: { locale?: unknown }) => ({ locale });

/** A list of translations, one for each language. */
const translations = <Texts extends z.ZodRawShape>(locales: readonly string[], texts: Texts) =>
  uniqueList(
    z.strictObject({ locale: platformLocale(locales), ...texts }),
    100,
    byLocale as (entry: object) => Record<string, unknown>,
  ).default([]);

const field = (locales: readonly string[]) =>
  z.strictObject({
    ...FIELD_SCHEMA,
    options: z
      .array(
        z.strictObject({
          value: optionValue,
          label: title,
          translations: translations(locales, { label: title.nullish() }),
        }),
      )
      .max(MAX_COUNTS.options)
      .default([]),
    translations: translations(locales, {
      label: title.nullish(),
      placeholder: title.nullish(),
      helpText: paragraph.nullish(),
      linkUrl: httpUrl.nullish(),
    }),
  });

/**
 * Creates the schema of a whole form as the panel writes it, with translations as lists beside what they translate.
 *
 * @param locales the platform's languages
 */
export const formInput = (locales: readonly string[]) =>
  z.strictObject({
    ...FORM_SCHEMA,
    active: FORM_SCHEMA.active.default(true),
    recipients: FORM_SCHEMA.recipients.default([]),
    recipientRules: recipientRules.default([]),
    sourceLocale: platformLocale(locales),
    privacyNoticeText: paragraph.nullish(),
    privacyNoticeUrl: httpUrl.nullish(),
    fields: z.array(field(locales)).max(MAX_COUNTS.fields),
    translations: translations(locales, {
      submitButtonText: title.nullish(),
      confirmationMessage: paragraph.nullish(),
      privacyNoticeText: paragraph.nullish(),
      privacyNoticeUrl: httpUrl.nullish(),
    }),
  });

type FormInputEntry = z.output<ReturnType<typeof formInput>>;

type FieldEntry = FormInputEntry['fields'][number];

/** Removes the texts that are not translated, which are null or empty. */
const present = <T extends object>(texts: T): { [Key in keyof T]?: NonNullable<T[Key]> } =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text)) as {
    [Key in keyof T]?: NonNullable<T[Key]>;
  };

function fieldTranslations(entry: FieldEntry): FieldDefinition['translations'] {
  const byLocale: Record<string, FieldTranslation> = {};
  for (const { locale, ...texts } of entry.translations) byLocale[locale] = present(texts);
  addOptionLabels(
    byLocale,
    entry.options.flatMap(({ value, translations }) =>
      translations.flatMap(({ locale, label }) => (label ? [{ locale, value, label }] : [])),
    ),
  );
  return Object.fromEntries(Object.entries(byLocale).filter(([, texts]) => Object.keys(texts).length > 0));
}

/**
 * Converts the panel's input to a form.
 *
 * @returns the form with its patterns, and the faults of the form as a whole (`formFaults`), with their paths in the
 * input.
 */
export async function readForm(
  slug: string,
  input: FormInputEntry,
): Promise<{ content: FormContent; patterns: FormPatterns; faults: Fault[] }> {
  const content: FormContent = {
    slug,
    version: 1,
    name: input.name,
    active: input.active,
    recipients: input.recipients,
    recipientRules: input.recipientRules,
    sourceLocale: input.sourceLocale,
    texts: {
      submitButtonText: input.submitButtonText,
      confirmationMessage: input.confirmationMessage,
      privacyNoticeText: input.privacyNoticeText ?? null,
      privacyNoticeUrl: input.privacyNoticeUrl ?? null,
    },
    fields: input.fields.map((entry) => ({
      ...entry,
      options: entry.options.map(({ value, label }) => ({ value, label })),
      translations: fieldTranslations(entry),
    })),
    translations: Object.fromEntries(
      input.translations.map(({ locale, ...texts }) => [locale, present(texts)]),
    ),
  };
  const patterns = await readPatterns(content.fields);
  const ofWhole = formFaults(content, patterns).map((fault) => inInput(fault, input));
  const ofRules = recipientRuleFaults(content.recipientRules, content.fields).map(({ path, message }) => ({
    path: ['recipientRules', ...path],
    message,
  }));
  return { content, patterns, faults: [...ofWhole, ...ofRules, ...strayTranslations(input)] };
}

/** Converts a fault's path: a form's translations are keyed by language, and the input has them in a list. */
function inInput({ path: [first, second, ...rest], message }: Fault, input: FormInputEntry): Fault {
  const path = second === undefined ? [first!] : [first!, second, ...rest];
  if (first !== 'translations') return { path, message };
  const index = input.translations.findIndex(({ locale }) => locale === second);
  return { path: ['translations', index, 'locale'], message };
}

/** Finds translations of fields and options into languages that the form itself is not translated into. */
function strayTranslations(input: FormInputEntry): Fault[] {
  const offered = new Set(input.translations.map(({ locale }) => locale));
  const strays = (path: Fault['path'], entries: readonly { locale: string }[]) =>
    entries.flatMap(({ locale }, index) =>
      offered.has(locale)
        ? []
        : [
            {
              path: [...path, 'translations', index, 'locale'],
              message: 'is not among the translations of the form',
            },
          ],
    );
  return input.fields.flatMap((entry, index) => [
    ...strays(['fields', index], entry.translations),
    ...entry.options.flatMap((option, position) =>
      strays(['fields', index, 'options', position], option.translations),
    ),
  ]);
}
