import { firstCharacters, isLongerThan } from '../../lib/text/characters.js';
import { httpUrlOrNull } from '../../lib/text/http-url.js';
import { storableText } from '../../lib/text/storable-text.js';
import type { ValidationFault } from './entry-messages.js';

/** Body fields that carry the context of a submission. No form field has one of these names. */
export const CONTEXT_FIELDS: ReadonlySet<string> = new Set([
  'page_url',
  'page_title',
  'page_locale',
  'form_locale',
  'visitor_hash',
  'captcha_fallback',
]);

/** The context of a submission. Null means not sent, or not usable. */
interface SubmissionContext {
  pageUrl: string | null;
  pageTitle: string | null;
  pageLocale: string | null;
  formLocale: string | null;
  visitorHash: string | null;
  /** The fallback token, as sent. */
  captchaFallback: string | null;
}

/** Faults keyed by the name of their field. */
export type FieldFaults = Record<string, ValidationFault[]>;

/** The context of a submission, with the faults of its fields. */
export type ReadContext = Readonly<{ context: SubmissionContext; faults: FieldFaults }>;

const MAX_URL_LENGTH = 4096;
const MAX_TITLE_LENGTH = 1000;

/**
 * Reads the context fields of a submission, which must be known before the form is validated:
 * they determine its language and carry the captcha's fallback token.
 *
 * A page address that is not http(s), a title that is no text and a malformed visitor hash are dropped; a
 * title is cut to its first 1,000 characters. A locale that is too long or no text is a fault, and null in
 * the context.
 */
export function readContext(body: Readonly<Record<string, unknown>>): ReadContext {
  const faults: FieldFaults = {};
  const read = (name: string): unknown => (Object.hasOwn(body, name) ? (body[name] ?? '') : '');

  function limited(name: string, limit: number): string | null {
    const value = read(name);
    if (value === '') return null;
    if (typeof value !== 'string') faults[name] = [{ code: 'type' }];
    else if (isLongerThan(value, limit)) faults[name] = [{ code: 'too_long', limit }];
    else return storableText(value);
    return null;
  }

  function matching(name: string, pattern: RegExp): string | null {
    const value = read(name);
    return typeof value === 'string' && pattern.test(value) ? value : null;
  }

  /** Reads the page title without faults: a title is not worth losing a submission. */
  function title(): string | null {
    const value = read('page_title');
    if (typeof value !== 'string' || value === '') return null;
    return storableText(firstCharacters(value, MAX_TITLE_LENGTH));
  }

  const pageUrl = read('page_url');
  const isUsable = typeof pageUrl === 'string' && !isLongerThan(pageUrl, MAX_URL_LENGTH);
  return {
    context: {
      pageUrl: isUsable && httpUrlOrNull(pageUrl) ? storableText(pageUrl) : null,
      pageTitle: title(),
      pageLocale: limited('page_locale', 35),
      formLocale: limited('form_locale', 10),
      visitorHash: matching('visitor_hash', /^[\w-]{16,128}$/),
      captchaFallback: matching('captcha_fallback', /^.{1,4096}$/su),
    },
    faults,
  };
}
