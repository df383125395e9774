/** Ways that a browser tries in some milliseconds. */
const MAX_WAYS = 100_000;

/**
 * What to pass over: escapes, classes, beginnings of groups. Then a group that is repeated a few times, one that is
 * repeated otherwise, and the signs that leave as many choices as there are characters, or two.
 */
const SIGNS = /\\.|\[(?:\\.|[^\]\\])*\]|\(\?.|\)\{([1-9])\}|(\)[*+{])|([*+,])|([?|])/gsu;

/**
 * Whether a backtracking engine decides quickly whether a text of some length matches a pattern. The choices of each
 * quantifier and each alternation, multiplied, bound the ways that it can try; true is certain, false is not.
 *
 * @param pattern Valid under the `v` or the `u` flag.
 */
export function isQuick(pattern: string, length: number): boolean {
  let ways = 1;
  let rounds = 1;
  for (const [, times = 1, group, many, two] of pattern.matchAll(SIGNS)) {
    rounds *= +times;
    ways *= group ? Infinity : many ? length + 1 : two ? 2 : 1;
  }
  return ways ** rounds <= MAX_WAYS;
}
