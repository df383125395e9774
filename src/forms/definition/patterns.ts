import { RE2JS } from 're2js';
import { finish, finishInTurns, type Steps } from '../../lib/steps.js';
import { isLongerThan } from '../../lib/text/characters.js';
import type { PatternCheck } from '../validation/field-value.js';
import type { FieldDefinition } from './form-definition.js';
import { PatternRefusal } from './pattern-characters.js';
import { translatePattern } from './pattern-translation.js';

const MAX_LENGTH = 1_000;
/** Maximum total length of a form's distinct patterns: ten times that of a form with 200 fields. */
const MAX_LENGTH_OF_FORM = 20_000;
const MAX_SIZE_OF_FORM = 20_000;

/** Fixed cost of a match, in steps; a step is one instruction of the program at one position of the text. */
const STEPS_OF_MATCH = 50;
/**
 * Budget of one submission, in steps. A step takes up to 40 ns, so this is 12 ms. A form of 200 fields that each have
 * a pattern for e-mail addresses or names takes a sixth of it.
 */
const STEPS_OF_SUBMISSION = 300_000;

/** A pattern that the gateway can match in linear time. */
export type Pattern = Readonly<{
  /** Approximate number of instructions that it compiles to. */
  size: number;
  /** Estimates the maximum steps of matching a text of that many UTF-16 code units. */
  stepsFor(length: number): number;
  /** Whether the whole text matches. */
  matches(text: string): boolean;
}>;

/** A pattern that the gateway does not enforce, and a sentence that says why. */
export type PatternFault = Readonly<{ field: string; index: number; pattern: string; reason: string }>;

/** The patterns of a form, compiled or found faulty. */
export type FormPatterns = Readonly<{
  /** Keyed by the pattern's source. */
  enforced: ReadonlyMap<string, Pattern>;
  faults: readonly PatternFault[];
  /** Total instructions of the enforced patterns. */
  size: number;
}>;

/** Translates a pattern, and compiles it in the next step, because the two together may take long. */
function* compileInSteps(source: string): Steps<Pattern> {
  if (isLongerThan(source, MAX_LENGTH))
    throw new PatternRefusal(`A pattern must be at most ${MAX_LENGTH} characters.`);
  try {
    const { part, flag } = translatePattern(source);
    yield;
    // Parse with V8 only after the translation, which refuses the patterns that V8 is slow to parse.
    new RegExp(source, flag);
    const program = RE2JS.compile(part.source);
    const { limited, everywhere } = part.reach(1);
    return {
      size: part.size,
      stepsFor: (length) =>
        STEPS_OF_MATCH + Math.min(part.size * (length + 1), limited + everywhere * (length + 1)),
      // Match with groups: RE2's matcher without them keeps a cache of megabytes for each pattern.
      matches: (text) => program.matcher(text).matches(),
    };
  } catch (error) {
    if (error instanceof PatternRefusal) throw error;
    if (error instanceof SyntaxError) throw new PatternRefusal('This is not a valid regular expression.');
    throw new PatternRefusal('This pattern is too large, or nested too deep.');
  }
}

/**
 * Compiles an HTML `pattern` attribute for RE2, which matches in linear time. V8 never runs the pattern: it only
 * checks whether browsers accept it.
 *
 * @throws PatternRefusal with a sentence for the author.
 */
export const compilePattern = (source: string): Pattern => finish(compileInSteps(source));

/** Compiles the patterns of a form in their order. */
function* readInSteps(fields: readonly FieldDefinition[]): Steps<FormPatterns> {
  const enforced = new Map<string, Pattern>();
  const refused = new Map<string, string>();
  const faults: PatternFault[] = [];
  let length = 0;
  let size = 0;

  function* read(source: string): Steps<string | null> {
    length += source.length;
    try {
      if (length > MAX_LENGTH_OF_FORM || size > MAX_SIZE_OF_FORM) {
        throw new PatternRefusal('The patterns of this form are too large together.');
      }
      const pattern = yield* compileInSteps(source);
      enforced.set(source, pattern);
      size += pattern.size;
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  for (const [index, { name, attributes }] of fields.entries()) {
    const source = Object.hasOwn(attributes, 'pattern') ? attributes.pattern : undefined;
    if (source === undefined || enforced.has(source)) continue;
    const reason = refused.get(source) ?? (yield* read(source));
    if (reason !== null) {
      refused.set(source, reason);
      faults.push({ field: name, index, pattern: source, reason });
    }
    yield;
  }
  return { enforced, faults, size };
}

/** Compiles the patterns of a form synchronously, for a process that serves no requests meanwhile. */
export const readPatternsNow = (fields: readonly FieldDefinition[]): FormPatterns =>
  finish(readInSteps(fields));

/** Compiles the patterns of a form, and lets other requests be served meanwhile. */
export const readPatterns = (fields: readonly FieldDefinition[]): Promise<FormPatterns> =>
  finishInTurns(readInSteps(fields));

/**
 * Creates a pattern check for the values of one submission. The visitor chooses the texts, so the values share a
 * budget of steps. The budget counts work, not time: the same submission always gets the same answer.
 */
export function createPatternCheck({ enforced }: Pick<FormPatterns, 'enforced'>): PatternCheck {
  let steps = 0;
  return (source, text) => {
    const pattern = enforced.get(source);
    if (!pattern) return null;
    steps += pattern.stepsFor(text.length);
    if (steps > STEPS_OF_SUBMISSION) return 'too_costly';
    return pattern.matches(text) ? null : 'pattern';
  };
}
