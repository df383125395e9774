import { httpUrlOrNull } from '../lib/http-url.js';

/** Elements that only hold or group what is inside them. */
const ELEMENT =
  '(?:div|section|article|aside|main|header|footer|fieldset|figure|p|span|ul|ol|li|h[1-6]|hr|br)';
const ATTRIBUTE = '(?:class|id|role|title|lang|dir|aria-[a-z]+|data-[a-z0-9-]+)="[^"<>]*"';
const WRAPPER = new RegExp(`^(?:<${ELEMENT}(?:\\s+${ATTRIBUTE})*\\s*/?>|</${ELEMENT}\\s*>|[^<>])*$`, 'i');

const ADDRESS = /url\(\s*["']?([^"')]*)["']?\s*\)/gi;

/**
 * Whether the markup around a form is nothing but structure: grouping elements with plain attributes. So it
 * can neither run a script nor load anything, and holds no address at all (interface 2.4).
 */
export const isPlainWrapper = (html: string): boolean => WRAPPER.test(html);

/** Whether the value of a style property stays inside its declaration and names no address but http(s). */
export function isPlainStyle(value: string): boolean {
  if (/[;{}<>\\]|@import|expression\(/i.test(value)) return false;
  return [...value.matchAll(ADDRESS)].every(([, address]) => httpUrlOrNull(address?.trim()) !== null);
}
