import type { z } from 'zod';

/** One fault of an input, and its path: keys and list positions from the top. */
export type Fault = Readonly<{ path: readonly PropertyKey[]; message: string }>;

/**
 * Parses an input with its schema.
 *
 * @returns the schema's output, or every fault, worded to be read after its path.
 */
export function readWith<T extends z.ZodType>(
  schema: T,
  written: unknown,
): { data: z.output<T> } | { faults: Fault[] } {
  const result = schema.safeParse(written, { error: wording, reportInput: true });
  return result.success ? { data: result.data } : { faults: result.error.issues.flatMap(faultsOf) };
}

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
      return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unit(issue.origin)}`;
    case 'too_small':
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unit(issue.origin)}`;
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
  map: 'a mapping',
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
