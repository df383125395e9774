import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { type Document, documentSchema } from './document-schema.js';
import { type Fault, formatFault, ProvisionError } from './faults.js';

/** How often aliases may be expanded: plenty for shared field lists, nothing for a bomb. */
const MAX_ALIASES = 10_000;

/**
 * Reads a provision document from YAML or JSON and checks all that can be told without the database.
 *
 * @param locales the platform's languages
 * @throws ProvisionError with every fault and where it stands.
 */
export function readDocument(source: string, locales: readonly string[]): Document {
  const json = parseYaml(source);
  const inherited = prototypeKeys(json);
  if (inherited.length > 0) throw new ProvisionError(inherited.map(formatFault));
  const result = documentSchema(locales).safeParse(json, { error: wording, reportInput: true });
  if (result.success) return result.data;
  throw new ProvisionError(result.error.issues.flatMap(faultsOf).map(formatFault));
}

/** Keys that the schema would pass over in silence. */
function prototypeKeys(json: unknown, path: Fault['path'] = []): Fault[] {
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => {
    const here = [...path, Array.isArray(json) ? Number(key) : key];
    return key === '__proto__'
      ? [{ path: here, message: 'is not a possible key' }]
      : prototypeKeys(value, here);
  });
}

function parseYaml(source: string): unknown {
  const lineCounter = new LineCounter();
  const document = parseDocument(source, { lineCounter, prettyErrors: false, uniqueKeys: true });
  // A warning is a tag that the parser does not know; guessing what it meant helps nobody.
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0) {
    throw new ProvisionError(
      problems.map(({ pos, message }) => {
        const { line, col } = lineCounter.linePos(pos[0]);
        return `line ${line}, column ${col}: ${message}`;
      }),
    );
  }
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw new ProvisionError([`document: ${(error as Error).message}`]);
  }
}

/** Messages that read well after a path. */
function wording(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      if (issue.expected === 'string' && typeof issue.input === 'number')
        return 'must be text: put it in quotes';
      return `must be ${TYPE_NAMES[issue.expected] ?? `of type ${issue.expected}`}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${unit(issue.origin)}`;
    case 'too_small':
      return `must be at least ${issue.minimum}${unit(issue.origin)}`;
    default:
      return undefined;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

const unit = (origin: string): string => UNITS[origin] ?? '';

function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'is not a known key' }));
    case 'invalid_key':
      return issue.issues.map(({ message }) => ({ path: issue.path, message }));
    default:
      return [{ path: issue.path, message: issue.message }];
  }
}
