import PostalMime, { type Attachment } from 'postal-mime';
import { isEmailAddress } from '../../lib/text/email-address.js';
import { singleLine } from '../../lib/text/text.js';

/** What a report says about one recipient: given up, or tried again by the server that reports. */
type ReportedRecipient = Readonly<{
  /**
   * The one that the e-mail was sent to first, where the report names it, then that of the last server; empty: both are
   * missing, or no e-mail addresses, as one of X.400.
   */
  addresses: readonly string[];
  kind: 'bounced' | 'delayed';
  /** The enhanced status code (RFC 3463), as in `5.1.1`; null: the server does not say. */
  status: string | null;
  /** The words of the server that refused it, or of the one that reports. */
  detail: string;
}>;

/** A message that came to the envelope sender of an e-mail. */
export type DeliveryReport = Readonly<{
  /** The recipients that did not get the e-mail; null: it is no report per RFC 3464. */
  recipients: readonly ReportedRecipient[] | null;
  subject: string;
}>;

const STATUS_PART = /^message\/(global-)?delivery-status$/i;

/**
 * What is read of a message. The event loop waits while it is parsed, for some microseconds a line and more a part, and
 * any recipient of an e-mail can send one. What a report says comes before the e-mail that it quotes, within 70 kB.
 */
export const MAX_READ_BYTES = 128_000;
const MAX_READ_LINES = 2_000;

/** Maximum bytes of header fields, whose lists of addresses cost most. */
const MAX_HEADERS_BYTES = 32_000;

/** Bounds of a report; honest ones are far below. */
const MAX_RECIPIENTS = 100;
const MAX_DETAIL_LENGTH = 500;
const MAX_NESTING = 20;

/** Reads groups of fields, which empty lines separate; a line that begins with a blank continues the one before. */
function readGroups(text: string): ReadonlyMap<string, string>[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n/)
    .map((group) => {
      const lines = group.replace(/\n[ \t]+/g, ' ').split('\n');
      const fields = lines.flatMap((line): [string, string][] => {
        const colon = line.indexOf(':');
        return colon < 1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
      });
      return new Map(fields);
    });
}

/** Returns the value of a typed field, as in `rfc822; someone@example.test` and `smtp; 550 5.1.1 Unknown`. */
const typedValue = (field: string | undefined): string => field?.slice(field.indexOf(';') + 1).trim() ?? '';

/** Decodes the form of an address in a command of SMTP (RFC 3461, 4), in which some servers repeat it. */
const fromXtext = (text: string): string =>
  text.replace(/\+([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Reads an address, which some servers write as a mailbox with its name, and some with a comment behind it. */
function addressIn(field: string | undefined): string {
  const value = typedValue(field);
  const [, inBrackets] = /<([^<>]*)>$/.exec(value) ?? [];
  return inBrackets ?? value.split(/\s/, 1)[0]!;
}

/** Reads the addresses by which a report may name a recipient. */
function addressesOf(fields: ReadonlyMap<string, string>): string[] {
  const original = addressIn(fields.get('original-recipient'));
  const all = [original, fromXtext(original), addressIn(fields.get('final-recipient'))];
  return [...new Set(all)].filter(isEmailAddress);
}

/**
 * Tells what became of a recipient; null when it got the e-mail.
 *
 * The action decides: a server that has given up after days reports it with the temporary status of its last attempt.
 */
function kindOf(action: string | undefined, status: string | undefined): ReportedRecipient['kind'] | null {
  if (action === 'failed') return 'bounced';
  if (action === 'delayed') return 'delayed';
  if (action !== undefined || !status || status.startsWith('2')) return null;
  return status.startsWith('5') ? 'bounced' : 'delayed';
}

/** Reads the fields of one recipient; null when it got the e-mail, or they do not say what became of it. */
function recipientOf(fields: ReadonlyMap<string, string>): ReportedRecipient | null {
  const diagnostic = typedValue(fields.get('diagnostic-code'));
  const statusIn = (text = '') => /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(text)?.[0];
  const status = statusIn(fields.get('status')) ?? statusIn(diagnostic);
  // A comment may stand behind the word, as in every field of these (RFC 3464, 2.1.1).
  const [action] = /^\w+/.exec(fields.get('action')?.toLowerCase() ?? '') ?? [];
  const kind = kindOf(action, status);
  const said = diagnostic || status || fields.get('status') || action || '';
  const detail = singleLine(said.slice(0, MAX_DETAIL_LENGTH));
  return kind && { addresses: addressesOf(fields), kind, status: status ?? null, detail };
}

const textOf = ({ content }: Attachment): string =>
  typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('utf8');

/** Returns the beginning of a message that is read. */
function beginningOf(raw: Buffer): Buffer {
  let end = 0;
  for (let lines = 0; lines < MAX_READ_LINES; lines++) {
    const feed = raw.indexOf(10, end);
    if (feed < 0) return raw.subarray(0, MAX_READ_BYTES);
    end = feed + 1;
  }
  return raw.subarray(0, Math.min(end, MAX_READ_BYTES));
}

/** Options of the parser. Messages in a message are not parsed: the one that a report quotes says nothing new. */
const PARSING = {
  maxNestingDepth: MAX_NESTING,
  maxHeadersSize: MAX_HEADERS_BYTES,
  maxRfc822NestingDepth: 0,
};

/**
 * Reads a message that came to the envelope sender of an e-mail, as a delivery report (RFC 3464) where it is one.
 *
 * It reads the beginning alone, of `MAX_READ_BYTES` bytes and as many lines as an honest report has.
 */
export async function readDeliveryReport(raw: Buffer): Promise<DeliveryReport> {
  const mail = await PostalMime.parse(beginningOf(raw), PARSING).catch(() => null);
  const subject = singleLine((mail?.subject ?? '').slice(0, MAX_DETAIL_LENGTH));
  const part = mail?.attachments.find(({ mimeType }) => STATUS_PART.test(mimeType));
  if (!part) return { recipients: null, subject };
  const groups = readGroups(textOf(part)).slice(0, MAX_RECIPIENTS + 1);
  const described = groups.filter((fields) => fields.has('final-recipient'));
  if (described.length === 0) return { recipients: null, subject };
  return { recipients: described.flatMap((fields) => recipientOf(fields) ?? []), subject };
}
