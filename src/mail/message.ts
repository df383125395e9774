import type { SendMailOptions } from 'nodemailer';
import { domainOf, isEmailAddress } from '../lib/text/email-address.js';
import { singleLine } from '../lib/text/text.js';

/** The sender of a message: a display name, which may be empty, and an address. */
export interface Mailbox {
  name: string;
  address: string;
}

/**
 * A message from Formgate. The same message sent twice is the same bytes on the wire, so that a mailbox can
 * recognise the second copy of a retry as a duplicate.
 */
export interface MailMessage {
  /** Permanent id of the message, from which its Message-ID and its MIME boundary derive. */
  id: string;
  /** The Date header; whole seconds count. */
  date: Date;
  /** Addresses, of the header and of the recipients. One that is malformed counts as refused. */
  to: readonly string[];
  /** Address that an answer goes to; left out of the message unless it is exactly one address. */
  replyTo: string | null;
  /** The envelope's sender, to which mail servers report; that of the From header unless given. */
  returnPath?: string | undefined;
  subject: string;
  text: string;
  html: string;
}

/** A MIME boundary holds 70 characters, of which nodemailer adds ten. */
const MESSAGE_ID = /^[A-Za-z0-9.-]{1,56}$/;

/** An address as an object, which nodemailer does not parse for further ones. */
const mailbox = (address: string): Mailbox => ({ name: '', address });

/** Makes a part quoted-printable, which carries any line length and trailing space unchanged, and stays legible. */
const part = (content: string) => ({ content, contentTransferEncoding: 'quoted-printable' });

/**
 * Describes a message to nodemailer, which composes it. Date, Message-ID and boundary are fixed, so that the same
 * message is the same bytes.
 *
 * @param recipients The addresses of `message.to` that are to get the message now.
 * @throws RangeError when the message's id is no plain token of at most 56 letters, digits, dots and hyphens.
 */
export function mailOptions(
  message: MailMessage,
  from: Mailbox,
  recipients: readonly string[],
): SendMailOptions {
  const { id, date, subject, text, html } = message;
  if (!MESSAGE_ID.test(id)) throw new RangeError(`Unusable message id: ${id}`);
  const replyTo = message.replyTo?.trim() ?? '';
  return {
    from: { name: singleLine(from.name), address: from.address },
    to: message.to.filter(isEmailAddress).map(mailbox),
    ...(isEmailAddress(replyTo) && { replyTo: mailbox(replyTo) }),
    subject: singleLine(subject),
    text: part(text),
    html: part(html),
    date,
    messageId: `<${id}@${domainOf(from.address)}>`,
    baseBoundary: id,
    // No line of a quoted-printable part begins like this.
    boundaryPrefix: '=_',
    // Applies to the subject.
    textEncoding: 'quoted-printable',
    // Keeps out-of-office robots from answering the visitor.
    headers: { 'Auto-Submitted': 'auto-generated' },
    envelope: { from: message.returnPath ?? from.address, to: [...recipients] },
  };
}
