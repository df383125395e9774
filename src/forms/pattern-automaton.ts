import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/** How many ways lead to each state. */
export type Ways = Map<number, number>;

/**
 * A pattern as states that each read one character (Glushkov's construction), with the number of ways
 * a backtracking engine has to get from one to the next. Two ways for one text are what it may try.
 */
export interface PatternAutomaton {
  /** Source of the one character that a state reads, such as `\d` or `[a-z]`. */
  atoms: string[];
  first: Ways;
  follow: Ways[];
}

/** The pattern has a part that this model does not cover; the message names it. */
export class UnsupportedPattern extends Error {}

const MAX_STATES = 1000;
/** Repetitions beyond this count as unbounded: more ways, never fewer. */
const MAX_COPIES = 10;

interface Fragment {
  /** Ways to match the empty text. */
  empty: number;
  first: Ways;
  last: Ways;
}

const EMPTY: Fragment = { empty: 1, first: new Map(), last: new Map() };

function addWays(target: Ways, source: Ways, factor = 1): Ways {
  if (factor > 0)
    for (const [state, ways] of source) target.set(state, (target.get(state) ?? 0) + ways * factor);
  return target;
}

function refuseUnsupported(pattern: AST.Pattern): void {
  visitRegExpAST(pattern, {
    onBackreferenceEnter: () => {
      throw new UnsupportedPattern('A pattern cannot refer back to a group.');
    },
    onClassStringDisjunctionEnter: () => {
      throw new UnsupportedPattern('A pattern cannot hold texts inside a character class.');
    },
    onCharacterSetEnter: (node) => {
      if (node.kind === 'property' && node.strings) {
        throw new UnsupportedPattern(`A pattern cannot use ${node.raw}.`);
      }
    },
  });
}

/** Builds the automaton of one list of alternatives; the lookarounds met on the way are left to the caller. */
function buildAutomaton(
  alternatives: AST.Alternative[],
  lookarounds: AST.LookaroundAssertion[],
): PatternAutomaton {
  const atoms: string[] = [];
  const follow: Ways[] = [];

  function join(left: Fragment, right: Fragment): Fragment {
    for (const [state, ways] of left.last) addWays(follow[state]!, right.first, ways);
    return {
      empty: left.empty * right.empty,
      first: addWays(new Map(left.first), right.first, left.empty),
      last: addWays(new Map(right.last), left.last, right.empty),
    };
  }

  function choose(options: Fragment[]): Fragment {
    const choice: Fragment = { empty: 0, first: new Map(), last: new Map() };
    for (const option of options) {
      choice.empty += option.empty;
      addWays(choice.first, option.first);
      addWays(choice.last, option.last);
    }
    return choice;
  }

  // An engine gives up an optional round that matched nothing, so skipping is the one empty way.
  const optional = (body: Fragment): Fragment => ({ ...body, empty: 1 });

  function repeated(body: Fragment): Fragment {
    for (const [state, ways] of body.last) addWays(follow[state]!, body.first, ways);
    return optional(body);
  }

  function quantified({ element, min, max }: AST.Quantifier): Fragment {
    let tail = EMPTY;
    if (max > MAX_COPIES) tail = repeated(ofElement(element));
    else for (let round = min; round < max; round++) tail = optional(join(ofElement(element), tail));
    for (let round = 0; round < min; round++) {
      const body = ofElement(element);
      if (body.first.size === 0) break;
      // Required rounds that may match nothing multiply the ways, so they are all there.
      if (round >= MAX_COPIES && body.empty === 0) break;
      tail = join(body, tail);
    }
    return tail;
  }

  function ofElement(element: AST.Element): Fragment {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return ofAlternatives(element.alternatives);
      case 'Quantifier':
        return quantified(element);
      case 'Assertion':
        if ('alternatives' in element) lookarounds.push(element);
        return EMPTY;
      default: {
        const state = atoms.push(element.raw) - 1;
        if (state >= MAX_STATES) throw new UnsupportedPattern('This pattern is too large to be checked.');
        follow.push(new Map());
        return { empty: 0, first: new Map([[state, 1]]), last: new Map([[state, 1]]) };
      }
    }
  }

  function ofAlternatives(list: AST.Alternative[]): Fragment {
    return choose(list.map((alternative) => alternative.elements.map(ofElement).reduce(join, EMPTY)));
  }

  const { first } = ofAlternatives(alternatives);
  return { atoms, first, follow };
}

/**
 * The automaton of a pattern, and one for each lookaround in it, which an engine searches on its own.
 *
 * @param isUnicodeSets Whether the pattern is compiled with the `v` flag; otherwise with `u`.
 * @throws UnsupportedPattern for references to groups, texts in classes, and what is too large.
 */
export function buildAutomata(source: string, isUnicodeSets: boolean): PatternAutomaton[] {
  const parser = new RegExpParser({ ecmaVersion: 2024 });
  const flags = { unicode: !isUnicodeSets, unicodeSets: isUnicodeSets };
  const pattern = parser.parsePattern(source, 0, source.length, flags);
  refuseUnsupported(pattern);
  const lookarounds: AST.LookaroundAssertion[] = [];
  const automata = [buildAutomaton(pattern.alternatives, lookarounds)];
  // Building one may find more, nested in it.
  for (const lookaround of lookarounds) automata.push(buildAutomaton(lookaround.alternatives, lookarounds));
  return automata;
}
