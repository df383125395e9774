import { contrastOf, readHex } from '../../../parts/color/contrast.js';

/** Colours that the visitors' script takes where a placement names none; of the page it knows nothing. */
const DEFAULTS: Readonly<Record<string, string>> = {
  '--fg-accent': '#1f4fd1',
  '--fg-error': '#b3261e',
  '--fg-background': '#ffffff',
};

/** Pairs of colours that visitors have to tell apart, with the ratio that WCAG 2.2 AA asks for. */
const PAIRS = [
  { id: 'button', colors: ['--fg-accent-text', '--fg-accent'], needed: 4.5 },
  { id: 'error', colors: ['--fg-error', '--fg-background'], needed: 4.5 },
  { id: 'focus', colors: ['--fg-accent', '--fg-background'], needed: 3 },
  { id: 'border', colors: ['--fg-border', '--fg-background'], needed: 3 },
] as const;

/** A pair of colours of a placement: how far apart they are, and how far they should be. */
export type Check = Readonly<{ id: (typeof PAIRS)[number]['id']; ratio: number; needed: number }>;

/**
 * Computes the contrast of each pair of which the placement names a colour.
 *
 * @param hexOf returns a colour as `#rrggbb`; null when it is none that can be told
 */
export function checkAppearance(
  appearance: Readonly<Record<string, string>>,
  hexOf: (color: string) => string | null,
): Check[] {
  return PAIRS.flatMap(({ id, colors, needed }) => {
    if (!colors.some((property) => appearance[property]?.trim())) return [];
    const [one, other] = colors.map((property) => {
      const given = appearance[property]?.trim();
      const hex = given ? hexOf(given) : DEFAULTS[property];
      return hex ? readHex(hex) : null;
    });
    return one && other ? [{ id, ratio: contrastOf(one, other), needed }] : [];
  });
}
