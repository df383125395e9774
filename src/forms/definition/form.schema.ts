import { z } from 'zod';
import { email, httpUrl, label, mapping, text } from '../../lib/input.schema.js';
import { bodyFault } from '../validation/submission-body.js';
import { parseCondition } from './condition-checks.js';
import type { Condition } from './conditions.js';
import { FIELD_TYPES } from './form-definition.js';
import { MAX_LENGTHS } from './form-texts.js';

/** A single-line text that visitors read. */
export const title = text(MAX_LENGTHS.title);
/** A multi-line text that visitors read. */
export const paragraph = text(MAX_LENGTHS.paragraph);

export const fieldName = z.string().regex(/^[A-Za-z_][\w.-]{0,99}$/, {
  error: 'must be letters, digits, _, - and . after a letter or _, at most 100',
});

export const optionValue = text(255, 1);

/** Matches U+0000 or half of a surrogate pair in their JSON escapes. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** Parses a condition with the module that evaluates it; it is stored unchanged. */
function readCondition(json: unknown, context: z.RefinementCtx): Condition {
  // The depth must be bounded first, because the checks that follow recurse.
  if (typeof json === 'object' && json !== null && bodyFault(json)) {
    context.addIssue({ code: 'custom', message: 'is nested too deep, or has too many parts' });
    return z.NEVER;
  }
  const parsed = parseCondition(json);
  const faults = 'faults' in parsed ? parsed.faults : [];
  for (const { path, message } of [...faults, ...unknownKeys(json)]) {
    context.addIssue({ code: 'custom', path, message });
  }
  if (UNSTORABLE.test(JSON.stringify(json))) {
    context.addIssue({ code: 'custom', message: 'holds a character that cannot be stored' });
  }
  return 'condition' in parsed ? parsed.condition : z.NEVER;
}

/** A condition on the answers of a form. */
export const condition = z.unknown().transform(readCondition);

/** A display condition. */
export const visibility = z
  .unknown()
  .transform((json, context) => (json === null || json === undefined ? null : readCondition(json, context)))
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

/** Maximum lengths of a form's lists. */
export const MAX_COUNTS = { fields: 200, options: 1000, recipients: 50, attributes: 50 };

/** Schema of a field's settings, shared by every way of setting them. */
export const FIELD_SCHEMA = {
  name: fieldName,
  type: z.enum(FIELD_TYPES),
  label: title,
  isRequired: z.boolean().default(false),
  showLabel: z.boolean().default(true),
  isMultiple: z.boolean().default(false),
  placeholder: title.nullable().default(null),
  helpText: paragraph.nullable().default(null),
  linkUrl: httpUrl.nullable().default(null),
  attributes: mapping(
    z.string().regex(/^[a-z][a-z0-9-]{0,99}$/, { error: 'must be the lower-case name of an HTML attribute' }),
    text(1000),
  )
    .refine((attributes) => Object.keys(attributes).length <= MAX_COUNTS.attributes, {
      error: `must be at most ${MAX_COUNTS.attributes} entries`,
    })
    .default({}),
  visibility: visibility.default(null),
};

/** Schema of the form's own settings, shared by every way of setting them. */
export const FORM_SCHEMA = {
  name: label,
  active: z.boolean(),
  submitButtonText: text(MAX_LENGTHS.title, 1),
  confirmationMessage: text(MAX_LENGTHS.paragraph, 1),
  recipients: z.array(email).max(MAX_COUNTS.recipients),
};
