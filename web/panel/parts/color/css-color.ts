import { readHex } from './contrast.js';

let context: CanvasRenderingContext2D | null = null;

/** Returns an opaque colour of CSS as `#rrggbb`; null for any other text, such as a `var()`. */
export function hexOf(color: string): string | null {
  const text = color.trim();
  if (text === '') return null;
  context ??= document.createElement('canvas').getContext('2d');
  if (!context) return null;
  // A canvas leaves its colour as it was when it does not understand the new one.
  const [onBlack, onWhite] = ['#000000', '#ffffff'].map((before) => {
    context!.fillStyle = before;
    context!.fillStyle = text;
    return String(context!.fillStyle);
  });
  return onBlack === onWhite && onBlack && readHex(onBlack) ? onBlack : null;
}
