import { z } from 'zod';
import { parseCondition } from '../forms/condition-checks.js';
import type { Condition } from '../forms/conditions.js';
import { FIELD_TYPES } from '../forms/form-definition.js';
import { email, httpUrl, label, platformLocale, slug, text } from './values.js';

const title = text(500);
const paragraph = text(5000);

const fieldName = z.string().regex(/^(?!__)[A-Za-z_][\w.-]{0,99}$/, {
  error: 'must be letters, digits, _, - and . after a letter, at most 100',
});

const optionValue = text(255, 1);

/** U+0000 or half of a surrogate pair, as JSON writes them. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** A display condition, kept as it is and checked by the module that evaluates it. */
export const visibility = z
  .unknown()
  .transform((json, context): Condition | null => {
    if (json === null || json === undefined) return null;
    const parsed = parseCondition(json);
    const faults = 'faults' in parsed ? parsed.faults : [];
    for (const { path, message } of [...faults, ...unknownKeys(json)]) {
      context.addIssue({ code: 'custom', path, message });
    }
    if (UNSTORABLE.test(JSON.stringify(json))) {
      context.addIssue({ code: 'custom', message: 'holds a character that cannot be stored' });
    }
    return 'condition' in parsed ? parsed.condition : null;
  })
  .meta({ description: 'When the field is shown; null: always' });

const CONDITION_KEYS = ['match', 'rules'];
const RULE_KEYS = ['field', 'operator', 'value'];

function unknownKeys(
  json: unknown,
  path: (string | number)[] = [],
): { path: (string | number)[]; message: string }[] {
  if (typeof json !== 'object' || json === null) return [];
  const { rules } = json as { rules?: unknown };
  const known = 'rules' in json || 'match' in json || path.length === 0 ? CONDITION_KEYS : RULE_KEYS;
  return [
    ...Object.keys(json)
      .filter((key) => !known.includes(key))
      .map((key) => ({ path: [...path, key], message: 'is not a known key' })),
    ...(Array.isArray(rules)
      ? rules.flatMap((rule, index) => unknownKeys(rule, [...path, 'rules', index]))
      : []),
  ];
}

const field = z.strictObject({
  name: fieldName,
  type: z.enum(FIELD_TYPES),
  label: title,
  is_required: z.boolean().default(false),
  show_label: z.boolean().default(true),
  is_multiple: z.boolean().default(false),
  placeholder: title.nullable().default(null),
  help_text: paragraph.nullable().default(null),
  link_url: httpUrl.nullable().default(null),
  options: z
    .array(z.strictObject({ value: optionValue, label: title }))
    .max(1000)
    .default([]),
  attributes: z
    .record(
      z
        .string()
        .regex(/^[a-z][a-z0-9-]{0,99}$/, { error: 'must be the lower-case name of an HTML attribute' }),
      text(1000),
    )
    .default({}),
  visibility: visibility.default(null),
});

const privacyNotice = z
  .strictObject({ text: paragraph.nullable().optional(), url: httpUrl.nullable().optional() })
  .describe('A key left out keeps what is stored; null clears it');

const fieldTranslation = z.strictObject({
  label: title.nullable().optional(),
  placeholder: title.nullable().optional(),
  help_text: paragraph.nullable().optional(),
  link_url: httpUrl.nullable().optional(),
  options: z.record(optionValue, title.nullable()).optional(),
});

const translation = z.strictObject({
  submit_button_text: title.nullable().optional(),
  confirmation_message: paragraph.nullable().optional(),
  privacy_notice: privacyNotice.optional(),
  fields: z.record(fieldName, fieldTranslation).optional(),
});

/** A form: what is left out keeps what is stored, or takes its default when the form is new. */
export const formSchema = (locales: readonly string[]) =>
  z.strictObject({
    slug,
    name: label.optional(),
    active: z.boolean().optional(),
    source_locale: platformLocale(locales).optional(),
    submit_button_text: text(500, 1).optional(),
    confirmation_message: text(5000, 1).optional(),
    privacy_notice: privacyNotice.optional(),
    recipients: z.array(email).max(50).nullable().optional(),
    fields: z.array(field).max(200).optional(),
    translations: z
      .record(platformLocale(locales), translation.nullable())
      .optional()
      .describe('By language; null takes a language away'),
  });

export type FormEntry = z.output<ReturnType<typeof formSchema>>;
export type FieldEntry = z.output<typeof field>;
export type TranslationEntry = z.output<typeof translation>;
