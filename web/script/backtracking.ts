/** Number of matching paths that a browser tries in some milliseconds. */
const MAX_WAYS = 100_000;

/**
 * Matches tokens to skip: escapes, classes, beginnings of groups. Then the end of a group repeated a few times, of one
 * repeated otherwise, and the signs that leave as many choices as there are characters, or two choices.
 */
const SIGNS = /\\.|\[(?:\\.|[^\]\\])*\]|\(\?.|\)\{([1-9])\}|(\)[*+{])|([*+,])|([?|])/gsu;

/**
 * Whether a backtracking engine matches a text of some length against a pattern quickly. The product of the choices of
 * each quantifier and alternation bounds the paths that it can try; true is certain, false is not.
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
