import { foldLines } from 'nodemailer/lib/mime-funcs';
import MimeNode from 'nodemailer/lib/mime-node';
import { isEmailAddress } from '../lib/email-address.js';
import { singleLine } from '../lib/text.js';
import { quotedPrintable } from './quoted-printable.js';

/** Who a message is from: a display name, which may be empty, and an address. */
export interface Mailbox {
  name: string;
  address: string;
}

/**
 * A message from Formgate. The same message sent twice is the same bytes on the wire, so that a retry
 * after a lost answer can be recognised as a duplicate by whoever receives both.
 */
export interface MailMessage {
  /** Names the message for ever: its Message-ID and its MIME boundary derive from it. */
  id: string;
  /** The Date header; whole seconds count. */
  date: Date;
  /** Addresses, of the header and of those who get it. One that is malformed counts as refused. */
  to: readonly string[];
  /** Address that an answer goes to; left out of the message unless it is exactly one address. */
  replyTo: string | null;
  subject: string;
  text: string;
  html: string;
}

/** A MIME boundary holds 70 characters. */
const MESSAGE_ID = /^[A-Za-z0-9.-]{1,56}$/;

/** Encodes headers, and nothing else. */
const node = new MimeNode();

const CRLF = '\r\n';
const LINE_LENGTH = 76;

/** The Message-ID of a message from a sender. */
export const messageIdOf = ({ id }: MailMessage, { address }: Mailbox): string =>
  `<${id}@${address.slice(address.lastIndexOf('@') + 1)}>`;

/** A local part that needs no quotes. */
const DOT_ATOM = /^[^.]+(?:\.[^.]+)*$/;

/** An e-mail address as mail servers compare it: the domain in small letters, what is no dot-atom in quotes. */
export function wireAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  return `${DOT_ATOM.test(local) ? local : `"${local}"`}@${address.slice(at + 1).toLowerCase()}`;
}

/** A header, folded; none for an empty value. */
const header = (name: string, value: string): string[] =>
  value === '' ? [] : [foldLines(`${name}: ${value}`, LINE_LENGTH)];

/** In the one encoding that carries any line length and trailing space unchanged, and stays legible. */
const part = (type: string, content: string): string =>
  [
    `Content-Type: ${type}; charset=utf-8`,
    'Content-Transfer-Encoding: quoted-printable',
    '',
    quotedPrintable(content),
  ].join(CRLF);

/**
 * Writes a message out as it is handed to the mail server, in one piece of ASCII with CRLF at the end of each line:
 * nodemailer would stream it, and each part would be a write of its own to the connection.
 *
 * @throws RangeError when the message's id is no plain token of at most 56 letters, digits, dots and hyphens.
 */
export function composeMessage(message: MailMessage, from: Mailbox): string {
  if (!MESSAGE_ID.test(message.id)) throw new RangeError(`Unusable message id: ${message.id}`);
  const replyTo = message.replyTo?.trim() ?? '';
  // No line of a quoted-printable part begins like this.
  const boundary = `=_${message.id}`;
  const sender = { name: singleLine(from.name), address: from.address };
  const pieces = [
    ...header('From', node.encodeHeaderValue('From', sender)),
    ...header('To', message.to.filter(isEmailAddress).map(wireAddress).join(', ')),
    ...header('Reply-To', isEmailAddress(replyTo) ? wireAddress(replyTo) : ''),
    ...header('Subject', node.encodeHeaderValue('Subject', singleLine(message.subject))),
    ...header('Message-ID', messageIdOf(message, from)),
    ...header('Date', message.date.toUTCString().replace('GMT', '+0000')),
    // Keeps out-of-office robots from answering the visitor.
    ...header('Auto-Submitted', 'auto-generated'),
    ...header('MIME-Version', '1.0'),
    ...header('Content-Type', `multipart/alternative; boundary="${boundary}"`),
    '',
    ...[`--${boundary}`, part('text/plain', message.text)],
    ...[`--${boundary}`, part('text/html', message.html)],
    ...[`--${boundary}--`, ''],
  ];
  return pieces.join(CRLF);
}
