import { mailtoOf } from '../links.js';

/** What an answer takes of a lead. */
type Answered = Readonly<{
  emails: readonly string[];
  form: Readonly<{ name: string }>;
  website: Readonly<{ name: string }>;
  fields: readonly Readonly<{ type: string | null; label: string; text: string }>[];
}>;

type Words = (id: 'labelled' | 'reply.subject', values: Record<string, string>) => string;

/** Longer addresses are cut by some e-mail programs, and by Windows. */
const MAX_ADDRESS = 2_000;

/** Most of a subject, so that there is room for what it is about. */
const MAX_SUBJECT = 600;

/** Percent-encodes the beginning of a text that has room; the rest is left out with an ellipsis. */
function encodeWithin(text: string, room: number): string {
  // Halves of a character cannot be encoded.
  const wellFormed = text.replace(/\p{Surrogate}/gu, '\ufffd');
  const whole = encodeURIComponent(wellFormed);
  if (whole.length <= room) return whole;
  const ellipsis = encodeURIComponent('…');
  let encoded = '';
  for (const character of wellFormed) {
    const next = encodeURIComponent(character);
    if (encoded.length + next.length + ellipsis.length > room) break;
    encoded += next;
  }
  return encoded + ellipsis;
}

/** Returns the address that opens an answer to the visitor in the e-mail program; null without an address. */
export function replyAddress(lead: Answered, t: Words): string | null {
  const mailto = lead.emails[0] && mailtoOf(lead.emails[0]);
  if (!mailto) return null;
  const quoted = lead.fields
    .filter(({ type, text }) => type !== 'hidden' && type !== 'consent' && text !== '')
    .map(({ label, text }) => t('labelled', { label, value: text }))
    .flatMap((entry) => entry.split(/\r\n|\r|\n/))
    .map((line) => `> ${line}`);
  const subject = t('reply.subject', { form: lead.form.name, website: lead.website.name });
  // A subject is one line.
  const start = `${mailto}?subject=${encodeWithin(subject.replace(/\s+/g, ' '), MAX_SUBJECT)}&body=`;
  // Line ends as the standard for mailto addresses wants them.
  return start + encodeWithin(['', '', ...quoted].join('\r\n'), MAX_ADDRESS - start.length);
}
