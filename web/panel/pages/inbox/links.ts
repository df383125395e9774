import { parseAnyUrl } from '../../../../src/lib/text/http-url.js';

/** Returns the address that writes to an e-mail address; null when the text is none. */
export function mailtoOf(text: string): string | null {
  const [, local, domain] = /^([^\s@,;<>"]{1,64})@([^\s@,;<>"/?#]{1,255})$/.exec(text.trim()) ?? [];
  return local && domain ? `mailto:${encodeURIComponent(local)}@${encodeURIComponent(domain)}` : null;
}

/** A country's code before the zero that is dialled only within the country; to Italy (39) it is dialled always. */
const CODE_BEFORE_ZERO = /^(\(?(?:\+|00)(?!39)\d{1,3}\)?)\(0\)/;

const telOf = (text: string): string | null => {
  const digits = text
    .replace(/[\s.\-/]/g, '')
    .replace(CODE_BEFORE_ZERO, '$1')
    .replace(/[()]/g, '');
  // E.164 has fifteen digits at most; more are two numbers.
  return /^(?:\+|00)?\d{3,15}$/.test(digits) ? `tel:${digits}` : null;
};

/** Returns a text as the address of a page; null unless all of it is one, of the web. */
export function webAddressOf(text: string): string | null {
  return /^https?:\/\/\S+$/i.test(text) && parseAnyUrl(text) ? text : null;
}

/**
 * Returns where a value of a field leads; null when it leads nowhere. What visitors typed is never trusted to say so.
 */
export function linkOf(type: string | null, text: string): string | null {
  if (type === 'email') return mailtoOf(text);
  if (type === 'tel') return telOf(text);
  return webAddressOf(text.trim());
}
