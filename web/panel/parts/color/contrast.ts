/** Red, green and blue of a colour, from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Reads a colour as `#rgb` or `#rrggbb`; null for any other notation. */
export function readHex(text: string): Rgb | null {
  const [, digits] = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(text.trim()) ?? [];
  if (!digits) return null;
  const pairs = digits.length === 3 ? [...digits].map((digit) => digit + digit) : digits.match(/../g)!;
  return pairs.map((pair) => Number.parseInt(pair, 16)) as unknown as Rgb;
}

/** Relative luminance as WCAG 2.2 defines it, from 0 for black to 1 for white. */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio of two colours as WCAG 2.2 defines it, from 1 to 21. */
export function contrastOf(one: Rgb, other: Rgb): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}
