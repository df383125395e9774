import type { FieldDefinition } from '../forms/definition/form-definition.js';
import { numberTail } from '../lib/text/number-tail.js';
import { plainText, wordsOf } from './plain-text.js';

/** Maximum length of the text that is judged, in UTF-16 code units: what looks for phrases may go back over it. */
const MAX_LENGTH = 10_000;

/** Maximum number of links, addresses and telephone numbers that are looked at, of each. */
const MAX_OF_A_KIND = 20;

const LINK =
  /\b(?:https?:\/\/|www\.)[^\s<>"'\])]+|(?<![@\w.-])(?:[a-z0-9-]+\.)+(?:com|net|org|info|biz|ru|xyz|top|shop|online|site|club|store|pro|io|co|me|ly|link|live)\b(?:\/[^\s<>"'\])]*)?/giu;

/** A field's name and type, by which its value is read. */
export type ReadField = Pick<FieldDefinition, 'name' | 'type'>;

/** A submission as it is recorded, with the website that it came through. */
export type JudgedSubmission = Readonly<{
  values: Readonly<Record<string, unknown>>;
  undeclared: Readonly<Record<string, unknown>>;
  /** Lower-case addresses of the e-mail fields. */
  emails: readonly string[];
  locale: string;
  /** Host of the website. */
  host: string;
}>;

/** What a visitor has written, as signals and classifier read it. */
export type Message = Readonly<{
  /** The texts as they were typed, a line each. */
  text: string;
  /** The same as plain text. */
  plain: string;
  /** The longest of the values as plain text, by which the message is recognised elsewhere. */
  body: string;
  /** The words of the texts, without those of links. */
  words: readonly string[];
  /** Links in the texts without their scheme, in lower case, other than to the website itself. */
  links: readonly string[];
  emails: readonly string[];
  /** Last digits of the telephone fields. */
  phones: readonly string[];
  locale: string;
  /** Host of the website. */
  host: string;
}>;

/** Lists the strings in a value, however deep. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

const hostOf = (link: string): string => link.split(/[/?#:]/, 1)[0]!;

/** Drops the marks that end a sentence, and slashes, from the end of a link. */
function trimmed(link: string): string {
  let end = link.length;
  while (end > 0 && '.,;:!?/'.includes(link[end - 1]!)) end -= 1;
  return link.slice(0, end);
}

/** Returns a link in lower case, without its scheme, `www.` and what follows it in a sentence. */
const bareLink = (link: string): string =>
  trimmed(
    link
      .toLowerCase()
      .replace(/^https?:\/\//, '')
      .replace(/^www\./, ''),
  );

/** Tells whether a bare link leads to the website itself. */
function isOwn(link: string, ownHost: string): boolean {
  const [host, own] = [hostOf(link), ownHost.replace(/^www\./, '')];
  return host === own || host.endsWith(`.${own}`);
}

function linksOf(text: string, ownHost: string): string[] {
  const others = (text.match(LINK) ?? []).map(bareLink).filter((link) => !isOwn(link, ownHost));
  return [...new Set(others)].slice(0, MAX_OF_A_KIND);
}

/** Cuts the links to the website itself from a text, as that of the page on which the form is. */
export const withoutOwnLinks = (text: string, ownHost: string): string =>
  text.replace(LINK, (link) => (isOwn(bareLink(link), ownHost) ? ' ' : link));

/** Reduces a text to plain text. Some characters become a dozen, so it is cut once more. */
export const plainOf = (text: string): string => plainText(text).slice(0, MAX_LENGTH);

/**
 * Reads what a visitor has written. Only what is typed freely counts: not choices, nor a `url` field, which asks for
 * a link.
 */
export function readMessage(submission: JudgedSubmission, fields: readonly ReadField[]): Message {
  const types = new Map(fields.map(({ name, type }) => [name, type]));
  const free = Object.entries(submission.values).filter(([name]) => {
    const type = types.get(name);
    return type === 'text' || type === 'textarea' || type === undefined;
  });
  const texts = [...free.flatMap(([, value]) => textsOf(value)), ...textsOf(submission.undeclared)];
  const text = texts.join('\n').slice(0, MAX_LENGTH);
  const longest = texts.reduce((a, b) => (b.length > a.length ? b : a), '').slice(0, MAX_LENGTH);
  const plain = plainOf(text);
  const phones = Object.entries(submission.values)
    .filter(([name]) => types.get(name) === 'tel')
    .flatMap(([, value]) => textsOf(value))
    .flatMap((number) => numberTail(number) ?? []);
  return {
    text,
    plain,
    body: plainOf(longest),
    words: wordsOf(plainOf(text.replace(LINK, ' '))),
    links: linksOf(text, submission.host),
    emails: submission.emails.slice(0, MAX_OF_A_KIND),
    phones: [...new Set(phones)].slice(0, MAX_OF_A_KIND),
    locale: submission.locale,
    host: submission.host,
  };
}
