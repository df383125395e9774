import vm from 'node:vm';
import { buildAutomata, type PatternAutomaton, UnsupportedPattern, type Ways } from '../pattern-automaton.js';
import type { PatternMatcher } from '../validation/field-value.js';

const MAX_PATTERN_LENGTH = 1000;

// ── Compiling ────────────────────────────────────────────────────────────────────────────────────

function tryCompile(pattern: string, flag: 'v' | 'u'): RegExp | null {
  try {
    // Alone first: only a whole pattern counts, not one that closes the group around it.
    new RegExp(pattern, flag);
    return new RegExp(`^(?:${pattern})$`, flag);
  } catch {
    return null;
  }
}

/**
 * Compiles an HTML `pattern` attribute: the whole value has to match, under the `v` flag, or under `u`
 * for patterns that are older than it. Null when neither accepts it; browsers then ignore it.
 */
export function compilePattern(pattern: string): RegExp | null {
  return tryCompile(pattern, 'v') ?? tryCompile(pattern, 'u');
}

// ── Checking ─────────────────────────────────────────────────────────────────────────────────────

/** Length of the texts that are tried, in characters. */
const TRIED_LENGTH = 256;
/** A text of that length may be read in so many ways: quadratic and cubic patterns pass. */
const MAX_WAYS = 1_000_000;
/** Sets of states followed at once, the most ambiguous first. */
const MAX_FRONTIER = 24;
/** Bounds the search to some tenths of a second, whatever the machine does besides. */
const MAX_STEPS = 10_000_000;

const SLOW =
  'This pattern can take very long on some texts: two repetitions compete for the same characters.';
const LARGE = 'This pattern is too large to be checked.';

/** Characters that tell classes apart: all the common ones, those around the pattern's own, and samples. */
function sampleCharacters(atoms: readonly string[]): string[] {
  const points = new Set<number>();
  for (let point = 0; point < 0x3000; point++) points.add(point);
  for (let point = 0x3000; point <= 0x10ffff; point += 97) points.add(point);
  for (const character of atoms.join('')) {
    const point = character.codePointAt(0)!;
    for (const near of [point - 1, point, point + 1]) if (near >= 0 && near <= 0x10ffff) points.add(near);
  }
  return [...points].map((point) => String.fromCodePoint(point));
}

/** For each kind of character that the pattern tells apart: the states that read it. */
function readLetters({ atoms }: PatternAutomaton, flags: string): boolean[][] {
  const sources = [...new Set(atoms)];
  const tests = sources.map((source) => new RegExp(`^(?:${source})$`, flags));
  const indexes = atoms.map((atom) => sources.indexOf(atom));
  const letters = new Map<string, boolean[]>();
  for (const character of sampleCharacters(sources)) {
    const reads = tests.map((test) => test.test(character));
    letters.set(reads.join(), reads);
  }
  return [...letters.values()].map((reads) => indexes.map((index) => reads[index]!));
}

function totalWays(ways: Ways): number {
  let total = 0;
  for (const count of ways.values()) total += count;
  return total;
}

/**
 * Looks for a text that can be read in very many ways, character by character, following for each set
 * of states the text that reaches it in the most ways.
 */
function findAmbiguity(automaton: PatternAutomaton, flags: string): string | null {
  const letters = readLetters(automaton, flags);
  let steps = 0;

  function advance(choices: Ways, reads: boolean[]): Ways {
    const reached: Ways = new Map();
    for (const [state, count] of choices) if (reads[state]) reached.set(state, count);
    return reached;
  }

  function choicesAfter(ways: Ways): Ways {
    const choices: Ways = new Map();
    for (const [state, count] of ways) {
      for (const [next, edge] of automaton.follow[state]!) {
        choices.set(next, (choices.get(next) ?? 0) + count * edge);
        steps++;
      }
    }
    return choices;
  }

  let frontier: Ways[] = [automaton.first];
  for (let length = 0; length < TRIED_LENGTH && frontier.length > 0; length++) {
    const best = new Map<string, { ways: Ways; total: number }>();
    for (const choices of frontier) {
      for (const reads of letters) {
        const ways = advance(choices, reads);
        steps += choices.size;
        if (ways.size === 0) continue;
        const total = totalWays(ways);
        if (total > MAX_WAYS) return SLOW;
        const key = [...ways.keys()].sort((a, b) => a - b).join();
        if (total > (best.get(key)?.total ?? 0)) best.set(key, { ways, total });
      }
    }
    if (steps > MAX_STEPS) return LARGE;
    frontier = [...best.values()]
      .sort((a, b) => b.total - a.total)
      .slice(0, MAX_FRONTIER)
      .map(({ ways }) => choicesAfter(ways));
  }
  return null;
}

/**
 * Whether a `pattern` may be saved: it has to be valid, and no text may make a backtracking engine try
 * an exponential number of ways, neither here nor in a visitor's browser.
 *
 * @returns the reason to refuse it, or null.
 */
export function checkPattern(pattern: string): string | null {
  if (pattern.length > MAX_PATTERN_LENGTH) return `A pattern has ${MAX_PATTERN_LENGTH} characters at most.`;
  const regex = compilePattern(pattern);
  if (!regex) return 'This is not a valid regular expression.';
  try {
    for (const automaton of buildAutomata(pattern, regex.flags.includes('v'))) {
      const reason = findAmbiguity(automaton, regex.flags);
      if (reason) return reason;
    }
    return null;
  } catch (error) {
    return error instanceof UnsupportedPattern ? error.message : LARGE;
  }
}

// ── Matching ─────────────────────────────────────────────────────────────────────────────────────

/** Texts up to this length need no guard: checking has followed texts of this length. */
const UNGUARDED_LENGTH = TRIED_LENGTH;
const MAX_CACHED = 1000;

const compiled = new Map<string, RegExp | null>();
const guarded = new vm.Script('regex.test(text)');
const guardContext = vm.createContext({ regex: /^/, text: '' });

function cachedPattern(pattern: string): RegExp | null {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (compiled.size >= MAX_CACHED) compiled.clear();
  const regex = compilePattern(pattern);
  compiled.set(pattern, regex);
  return regex;
}

/** `regex.test` that ends after some milliseconds, as a plain call cannot. Not in time: no match. */
function testWithin(regex: RegExp, text: string, timeoutMs: number): boolean {
  Object.assign(guardContext, { regex, text });
  try {
    return guarded.runInContext(guardContext, { timeout: timeoutMs });
  } catch {
    return false;
  }
}

/**
 * A matcher for the values of one submission. Patterns that are merely quadratic are allowed, and the
 * visitor chooses the text, so the long texts of a submission share an allowance of time.
 *
 * @param allowanceMs Milliseconds for all long texts together; what is not matched in time does not match.
 */
export function createPatternMatcher(allowanceMs = 25): PatternMatcher {
  let remainingMs = allowanceMs;
  return (pattern, text) => {
    const regex = cachedPattern(pattern);
    if (!regex) return true;
    if (text.length <= UNGUARDED_LENGTH) return regex.test(text);
    if (remainingMs < 1) return false;
    const startedAt = performance.now();
    const isMatch = testWithin(regex, text, Math.floor(remainingMs));
    remainingMs -= performance.now() - startedAt;
    return isMatch;
  };
}
