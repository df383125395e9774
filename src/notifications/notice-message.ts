import type { MailMessage } from '../mail/message.js';
import { type EmailRow, renderHtml } from './email.html.js';
import { renderText } from './email.text.js';

/** A notice: what has happened, what follows from it, and the facts. */
type Notice = Pick<MailMessage, 'id' | 'date' | 'to'> &
  Readonly<{
    language: string;
    title: string;
    introduction: string;
    note: string;
    rows: readonly EmailRow[];
  }>;

/** Builds the message of a notice. The function is pure: the same notice gives the same message. */
export function noticeMessage({ id, date, to, note, rows, ...content }: Notice): MailMessage {
  const page = { ...content, warning: null };
  // The text has an empty line between the note and the rows.
  const blocks = [
    { title: null, note, rows: [] },
    { title: null, note: null, rows },
  ];
  return {
    id,
    date,
    to,
    replyTo: null,
    subject: content.title,
    text: renderText({ ...page, sections: blocks }),
    html: renderHtml({ ...page, sections: [{ title: null, note, rows }] }),
  };
}
