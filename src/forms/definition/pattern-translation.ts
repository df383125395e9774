import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { character, characterClass, characterSet, PatternRefusal, refuse } from './pattern-characters.js';

/**
 * Reachable instructions of the compiled program, over a whole text: some at a limited number of its positions,
 * some at every position.
 */
type Reach = Readonly<{ limited: number; everywhere: number }>;

/** A part of a pattern in RE2's syntax, with what bounds the work of matching it. */
export type Part = Readonly<{
  source: string;
  /** Approximate number of instructions that it compiles to. */
  size: number;
  /** Bounds of the lengths of the texts that it matches, in characters. */
  shortest: number;
  longest: number;
  /** Computes the reach when the part may begin at this many neighbouring positions. */
  reach(beginnings: number): Reach;
}>;

/** Maximum number of instructions of a compiled pattern; `.{0,500}` has that many. */
const MAX_SIZE = 1_000;
/** The largest repetition bound that RE2 accepts, as in `a{1000}`. */
const MAX_TIMES = 1_000;
/** Maximum number of properties: each is hundreds of ranges, which take that much longer to compile. */
const MAX_PROPERTIES = 50;

const EVERYWHERE: Reach = { limited: 0, everywhere: 1 };

const reachOfOne = (beginnings: number): Reach =>
  beginnings === Number.POSITIVE_INFINITY ? EVERYWHERE : { limited: beginnings, everywhere: 0 };

const both = (one: Reach, other: Reach): Reach => ({
  limited: one.limited + other.limited,
  everywhere: one.everywhere + other.everywhere,
});

const oneCharacter = (source: string): Part => ({
  source,
  size: 1,
  shortest: 1,
  longest: 1,
  reach: reachOfOne,
});

const noCharacter = (source: string): Part => ({
  source,
  size: 1,
  shortest: 0,
  longest: 0,
  reach: reachOfOne,
});

/** Computes how many more positions a part can end at than it can begin at. */
const spread = ({ shortest, longest }: Part): number => longest - shortest;

function checkSize(size: number, most = MAX_SIZE): number {
  if (size > most)
    throw new PatternRefusal(
      'This pattern is too large: shorten it, or lower the bounds of its repetitions.',
    );
  return size;
}

function sequence(parts: readonly Part[]): Part {
  const sum = (key: 'size' | 'shortest' | 'longest') => parts.reduce((total, part) => total + part[key], 0);
  return {
    source: parts.map(({ source }) => source).join(''),
    size: checkSize(sum('size')),
    shortest: sum('shortest'),
    longest: sum('longest'),
    reach(beginnings) {
      let reach: Reach = { limited: 0, everywhere: 0 };
      let from = beginnings;
      for (const part of parts) {
        reach = both(reach, part.reach(from));
        from += spread(part);
      }
      return reach;
    },
  };
}

function choice(parts: readonly Part[]): Part {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return {
    source: parts.map(({ source }) => source).join('|'),
    size: checkSize(parts.reduce((total, { size }) => total + size + 1, 0)),
    shortest: Math.min(...parts.map(({ shortest }) => shortest)),
    longest: Math.max(...parts.map(({ longest }) => longest)),
    reach: (beginnings) =>
      parts.reduce((total, part) => both(total, both(reachOfOne(beginnings), part.reach(beginnings))), {
        limited: 0,
        everywhere: 0,
      }),
  };
}

function quantifier(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return ['*', '+'][min] ?? `{${min},}`;
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

function repetition(node: AST.Quantifier): Part {
  const { min, max } = node;
  const isEndless = max === Number.POSITIVE_INFINITY;
  if (min > MAX_TIMES || (!isEndless && max > MAX_TIMES)) {
    refuse(`a repetition beyond ${MAX_TIMES.toLocaleString('en')} times`, node);
  }
  const body = element(node.element);
  /** RE2 unrolls a repetition, with the last round of an unbounded one as a loop. */
  const rounds = isEndless ? Math.max(min, 1) : max;
  const times = (length: number, count: number) => (length && count ? length * count : 0);
  return {
    source: body.source + quantifier(min, max),
    // An optional round begins with a branch instruction, and an unbounded one ends with one.
    size: checkSize(rounds * body.size + (isEndless ? 1 : max - min)),
    shortest: times(body.shortest, min),
    longest: times(body.longest, max),
    reach(beginnings) {
      let reach: Reach = { limited: 0, everywhere: 0 };
      let from = beginnings;
      for (let round = 1; round <= rounds; round++) {
        if (isEndless && round === rounds && body.longest > 0) from = Number.POSITIVE_INFINITY;
        reach = both(reach, both(reachOfOne(from), body.reach(from)));
        from += spread(body);
      }
      return reach;
    },
  };
}

function group(alternatives: readonly AST.Alternative[]): Part {
  const inner = ofAlternatives(alternatives);
  return { ...inner, source: `(?:${inner.source})`, size: inner.size + 1 };
}

function assertion(node: AST.Assertion): Part {
  switch (node.kind) {
    case 'start':
      return noCharacter('\\A');
    case 'end':
      return noCharacter('\\z');
    case 'word':
      return noCharacter(node.negate ? '\\B' : '\\b');
    case 'lookahead':
      return refuse('a look-ahead', node);
    case 'lookbehind':
      return refuse('a look-behind', node);
  }
}

function element(node: AST.Element): Part {
  switch (node.type) {
    case 'Character':
      return oneCharacter(character(node.value));
    case 'CharacterSet':
      return oneCharacter(`[${characterSet(node)}]`);
    case 'CharacterClass':
      return oneCharacter(characterClass(node));
    case 'ExpressionCharacterClass':
      return refuse(
        node.expression.type === 'ClassSubtraction'
          ? 'a subtraction of classes'
          : 'an intersection of classes',
        node,
      );
    case 'Group':
    case 'CapturingGroup':
      return group(node.alternatives);
    case 'Quantifier':
      return repetition(node);
    case 'Assertion':
      return assertion(node);
    case 'Backreference':
      return refuse('a reference back to a group', node);
  }
}

const ofAlternatives = (alternatives: readonly AST.Alternative[]): Part =>
  choice(alternatives.map(({ elements }) => sequence(elements.map(element))));

/** Parses a pattern as HTML specifies: under the `v` flag, or under `u` for older syntax. */
function parse(source: string): { pattern: AST.Pattern; flag: 'v' | 'u' } {
  const parser = new RegExpParser({ ecmaVersion: 2024 });
  for (const flag of ['v', 'u'] as const) {
    try {
      const flags = { unicode: flag === 'u', unicodeSets: flag === 'v' };
      return { pattern: parser.parsePattern(source, 0, source.length, flags), flag };
    } catch {
      // Try the next flag, if there is one.
    }
  }
  throw new PatternRefusal('This is not a valid regular expression.');
}

/**
 * Translates an HTML `pattern` attribute to RE2's syntax, from its syntax tree. Every character is written by its code
 * point and every set of characters by its ranges, so that nothing remains that the two engines read differently.
 *
 * @throws PatternRefusal when the pattern is invalid, too large, or not supported by RE2.
 */
export function translatePattern(source: string): { part: Part; flag: 'v' | 'u' } {
  checkSize(source.match(/\\p/gi)?.length ?? 0, MAX_PROPERTIES);
  const { pattern, flag } = parse(source);
  return { part: ofAlternatives(pattern.alternatives), flag };
}
