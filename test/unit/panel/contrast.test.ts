import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkAppearance } from '../../../web/panel/pages/website/forms/appearance-checks.js';
import { contrastOf, type Rgb, readHex } from '../../../web/panel/parts/color/contrast.js';

const channel = fc.integer({ min: 0, max: 255 });
const color = fc.tuple(channel, channel, channel) as fc.Arbitrary<Rgb>;

describe('the contrast of two colours', () => {
  test('is 21 for black and white, and what WCAG’s examples say', () => {
    expect(contrastOf([0, 0, 0], [255, 255, 255])).toBeCloseTo(21, 10);
    // The greys and the blue around the thresholds that tools name.
    expect(contrastOf(readHex('#767676')!, readHex('#fff')!)).toBeCloseTo(4.54, 2);
    expect(contrastOf(readHex('#777777')!, readHex('#fff')!)).toBeCloseTo(4.48, 2);
    expect(contrastOf(readHex('#00f')!, readHex('#ffffff')!)).toBeCloseTo(8.59, 2);
  });

  test('is the same both ways, from 1 for a colour with itself to 21', () => {
    fc.assert(
      fc.property(color, color, (one, other) => {
        const ratio = contrastOf(one, other);
        expect(ratio).toBe(contrastOf(other, one));
        expect(ratio).toBeGreaterThanOrEqual(1);
        expect(ratio).toBeLessThanOrEqual(21.000001);
        expect(contrastOf(one, one)).toBe(1);
      }),
    );
  });

  test('does not shrink when the lighter colour becomes white', () => {
    fc.assert(
      fc.property(color, color, (one, other) => {
        const white: Rgb = [255, 255, 255];
        const darker = contrastOf(one, white) > contrastOf(other, white) ? one : other;
        expect(contrastOf(darker, white)).toBeGreaterThanOrEqual(contrastOf(one, other) - 1e-9);
      }),
    );
  });
});

test('colours are read in both short notations, and no other text', () => {
  expect(readHex(' #0f8 ')).toEqual([0, 255, 136]);
  expect(readHex('#00FF88')).toEqual([0, 255, 136]);
  for (const text of ['', 'red', '#00ff8', '#00ff8800', '#ggg', 'rgb(0,0,0)'])
    expect(readHex(text)).toBeNull();
});

describe('the appearance of a placement', () => {
  const hexOf = (text: string) => (readHex(text) ? text : null);

  test('is checked in the pairs of which it names a colour, against the script’s own where it names none', () => {
    expect(checkAppearance({}, hexOf)).toEqual([]);
    expect(checkAppearance({ '--fg-radius': '0', '--fg-error': ' ' }, hexOf)).toEqual([]);
    const found = checkAppearance({ '--fg-accent': '#ffcc00', '--fg-accent-text': '#ffffff' }, hexOf);
    expect(found.map(({ id, ratio, needed }) => [id, ratio < needed])).toEqual([
      ['button', true],
      ['focus', true],
    ]);
    const dark = checkAppearance({ '--fg-background': '#000000', '--fg-border': '#999999' }, hexOf);
    expect(dark.map(({ id, ratio, needed }) => [id, ratio < needed])).toEqual([
      ['error', true],
      ['focus', false],
      ['border', false],
    ]);
  });

  test('is not judged by colours that cannot be told', () => {
    expect(checkAppearance({ '--fg-accent-text': 'var(--brand)' }, hexOf)).toEqual([]);
  });
});
