import MimeNode from 'nodemailer/lib/mime-node';
import { encode, wrap } from 'nodemailer/lib/qp';
import { isEmailAddress } from '../lib/email-address.js';
import { singleLine } from '../lib/text.js';

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

const CRLF = '\r\n';
const LINE_LENGTH = 76;

/** The Message-ID of a message from a sender. */
export const messageIdOf = ({ id }: MailMessage, { address }: Mailbox): string =>
  `<${id}@${address.slice(address.lastIndexOf('@') + 1)}>`;

const mailbox = (address: string): Mailbox => ({ name: '', address });

/** In the one encoding that carries any line length and trailing space unchanged, and stays legible. */
const part = (type: string, content: string): string =>
  [
    `Content-Type: ${type}; charset=utf-8`,
    'Content-Transfer-Encoding: quoted-printable',
    '',
    wrap(encode(content.replaceAll(/\r\n?|\n/g, CRLF)), LINE_LENGTH),
  ].join(CRLF);

/**
 * Writes a message out as it is handed to the mail server, in one piece: nodemailer would stream it, and each part
 * would be a write of its own to the connection.
 *
 * @throws RangeError when the message's id is no plain token of at most 56 letters, digits, dots and hyphens.
 */
export function composeMessage(message: MailMessage, from: Mailbox): Buffer {
  if (!MESSAGE_ID.test(message.id)) throw new RangeError(`Unusable message id: ${message.id}`);
  const replyTo = message.replyTo?.trim() ?? '';
  // No line of a quoted-printable part begins like this.
  const boundary = `=_${message.id}`;
  const head = new MimeNode(`multipart/alternative; boundary="${boundary}"`, { baseBoundary: boundary });
  head.setHeader([
    { key: 'From', value: { name: singleLine(from.name), address: from.address } },
    { key: 'To', value: message.to.filter(isEmailAddress).map(mailbox) },
    ...(isEmailAddress(replyTo) ? [{ key: 'Reply-To', value: mailbox(replyTo) }] : []),
    { key: 'Subject', value: singleLine(message.subject) },
    { key: 'Message-ID', value: messageIdOf(message, from) },
    { key: 'Date', value: message.date },
    // Keeps out-of-office robots from answering the visitor.
    { key: 'Auto-Submitted', value: 'auto-generated' },
  ]);
  const pieces = [
    ...[head.buildHeaders(), ''],
    ...[`--${boundary}`, part('text/plain', message.text)],
    ...[`--${boundary}`, part('text/html', message.html)],
    ...[`--${boundary}--`, ''],
  ];
  return Buffer.from(pieces.join(CRLF));
}
