import type { useText } from '../../language.js';
import { mailtoOf } from './links.js';
import type { Lead } from './queries.js';

/** Longer addresses are cut by some e-mail programs. */
const MAX_QUOTED = 1_200;

/** Returns the address that opens an answer to the visitor in the e-mail program; null without an address. */
export function replyAddress(lead: Lead, t: ReturnType<typeof useText>): string | null {
  const mailto = lead.emails[0] && mailtoOf(lead.emails[0]);
  if (!mailto) return null;
  const lines = lead.fields
    .filter(({ type, text }) => type !== 'hidden' && type !== 'consent' && text !== '')
    .map(({ label, text }) => `${label}: ${text}`)
    .join('\n')
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
  const quoted = [...lines].length > MAX_QUOTED ? `${[...lines].slice(0, MAX_QUOTED).join('')}…` : lines;
  const subject = t('reply.subject', { form: lead.form.name, website: lead.website.name });
  // Line ends as the standard for mailto addresses wants them.
  const body = `\n\n${quoted}`.toWellFormed().replaceAll('\n', '\r\n');
  return `${mailto}?subject=${encodeURIComponent(subject.toWellFormed())}&body=${encodeURIComponent(body)}`;
}
