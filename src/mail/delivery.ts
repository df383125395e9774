import type { NodemailerError, SMTPPoolSentMessageInfo } from 'nodemailer';
import { causeOf } from '../lib/telemetry/cause.js';
import { isEmailAddress } from '../lib/text/email-address.js';
import { singleLine } from '../lib/text/text.js';
import type { SendError } from './pool.js';
import { describeAway } from './server-away.js';

/**
 * The outcome of one attempt. `sent`: accepted for some recipients and refused for good for the others. `deferred`:
 * retry the same message later, for the recipients that are neither accepted nor refused. `unknown`: the server may
 * have accepted the message, and has not confirmed it. `failed`: no retry can help. A deferral is about the whole
 * `server` (it is away, or its answer would be the same for every message), the `domain` addressed (the conversation
 * broke off or fell silent after the login), or the `message` itself (a temporary answer to it). `detail` is the
 * server's answer or the network error, 500 printable characters at most; that of a server that is away is the name of
 * its cause alone, since clients read it. It may quote an address, so it belongs in the database and not in a log.
 */
export type Delivery = Readonly<
  (
    | { outcome: 'sent'; smtpCode: number }
    | {
        outcome: 'deferred';
        about: 'server' | 'domain' | 'message';
        smtpCode: number | null;
        /** What ended the attempt; null when the server confirmed the message and deferred some recipients. */
        error: SendError | null;
      }
    | { outcome: 'unknown'; smtpCode: null }
    | { outcome: 'failed'; smtpCode: number | null }
  ) & {
    detail: string;
    /** Addresses for which the server has accepted the message. */
    accepted: readonly string[];
    /** Addresses that no retry can reach. */
    refused: readonly string[];
    /** The server's words by address, where they differ; else `detail` is about every address. */
    answers?: Readonly<Record<string, string>>;
  }
>;

/**
 * Tells whether a message was deferred for itself or its recipients' domain: only such a deferral counts as one of its
 * retries, since every message fails while the mail server is away.
 */
export const isOwnFailure = (delivery: Delivery | null): boolean =>
  delivery?.outcome === 'deferred' && delivery.about !== 'server';

const MAX_DETAIL_LENGTH = 500;

/** Reply code of a server that closes the connection, whatever the command (RFC 5321, 3.8). */
const SERVICE_CLOSING = 421;

/** Refused recipients at which servers close the connection with that code: Postfix' `smtpd_hard_error_limit`. */
const ERRORS_UNTIL_CLOSED = 20;

/** Reply codes for authentication that is required, too weak, refused, or only allowed over TLS (RFC 4954). */
const CREDENTIAL_CODES = new Set([530, 534, 535, 538]);

/** Enhanced status of a reply to MAIL FROM that refuses the sender's address or its use by this login (RFC 3463). */
const SENDER_REFUSED = /^5\d\d[ -]5\.(?:1\.[78]|7\.\d+)\b/;

const tidy = (detail: string): string => singleLine(detail.slice(0, MAX_DETAIL_LENGTH));

/** Normalizes an address for comparison: nodemailer puts a local part in quotes that is no dot-atom. */
const comparable = (address: string): string => address.replaceAll('"', '').toLowerCase();

/** Lists the recipients that the server refused for good, and those that it deferred. */
function turnedAway(addressed: readonly string[], errors: readonly NodemailerError[]) {
  const written = (select: (error: NodemailerError) => boolean) =>
    new Set(errors.filter(select).map(({ recipient = '' }) => comparable(recipient)));
  const forGood = written(isVerdictOnMessage);
  const forNow = written((error) => !isVerdictOnMessage(error));
  return {
    refused: addressed.filter((each) => !isEmailAddress(each) || forGood.has(comparable(each))),
    deferred: addressed.filter((each) => forNow.has(comparable(each))),
  };
}

/**
 * Tells what the server said about each recipient; undefined when it said the same about all.
 *
 * @param rest its words about those that it did not turn away
 */
function answersOf(addressed: readonly string[], errors: readonly NodemailerError[], rest: string) {
  const said = new Map(
    errors.map(({ recipient = '', response, message }) => [comparable(recipient), tidy(response ?? message)]),
  );
  const answerTo = (address: string) =>
    said.get(comparable(address)) ?? (isEmailAddress(address) ? tidy(rest) : 'This is no valid address.');
  const answers = addressed.map((address) => [address, answerTo(address)] as const);
  return new Set(answers.map(([, answer]) => answer)).size > 1 ? Object.fromEntries(answers) : undefined;
}

/** The delivery of a message for which no recipient has a valid address. */
export const undeliverable = (addressed: readonly string[]): Delivery => ({
  outcome: 'failed',
  smtpCode: null,
  detail: 'No recipient has a valid address.',
  accepted: [],
  refused: addressed,
});

/** Judges an attempt that the server has confirmed. */
export function confirmedDelivery(info: SMTPPoolSentMessageInfo, addressed: readonly string[]): Delivery {
  const response = info.response ?? '';
  const errors = info.rejectedErrors ?? [];
  const { refused, deferred } = turnedAway(addressed, errors);
  const accepted = addressed.filter((each) => !refused.includes(each) && !deferred.includes(each));
  const counts = [
    ...(refused.length > 0 ? [`${refused.length} of ${addressed.length} recipients refused.`] : []),
    ...(deferred.length > 0 ? [`${deferred.length} of ${addressed.length} recipients deferred.`] : []),
  ];
  const reasons = errors.map((error) => error.response ?? error.message);
  const detail = tidy([...counts, ...reasons, response].join(' '));
  const answers = answersOf(addressed, errors, response);
  const about = { detail, accepted, refused, ...(answers && { answers }) };
  if (deferred.length === 0) {
    return { outcome: 'sent', smtpCode: Number.parseInt(response, 10) || 250, ...about };
  }
  const smtpCode = errors.find((error) => !isVerdictOnMessage(error))?.responseCode || null;
  return { outcome: 'deferred', about: 'message', smtpCode, error: null, ...about };
}

/** Judges an attempt that ended in an error. */
export function unconfirmedDelivery(error: SendError, addressed: readonly string[]): Delivery {
  const smtpCode = error.responseCode || null;
  const reason = reasonOf(error);
  // Nodemailer does not report which recipients were refused when the server never confirmed the message.
  const errors = error.rejectedErrors ?? [];
  const answers = answersOf(addressed, errors, reason);
  const told = { accepted: [], ...(answers && { answers }) };
  if (isVerdictOnMessage(error)) {
    return { outcome: 'failed', smtpCode, detail: tidy(reason), ...told, refused: addressed };
  }
  const { refused } = turnedAway(addressed, errors);
  if (error.phase === 'confirmation' && (smtpCode ?? 0) < 400) {
    const detail = tidy(`The mail server never confirmed the message, which may have arrived. ${reason}`);
    return { outcome: 'unknown', smtpCode: null, detail, ...told, refused };
  }
  const detail = tidy(reason);
  return {
    outcome: 'deferred',
    about: subjectOf(error, addressed.length),
    smtpCode,
    error,
    detail,
    ...told,
    refused,
  };
}

/** Network errors until the login name the server's address, which is for the log. */
function reasonOf(error: SendError): string {
  const isOfNetwork = !error.response || error.code === 'ETLS';
  if (error.phase === 'connecting' && isOfNetwork) return describeAway(causeOf(error).cause);
  if (error.code === 'EABORT') return 'The mail server took too long.';
  return error.response ?? error.message;
}

/**
 * Tells what a temporary failure is about. A reply to MAIL FROM, which is the same for every message, is about the
 * server. So is a server that closes, unless so many recipients were addressed that it may have closed for them.
 */
function subjectOf(error: SendError, addressed: number): 'server' | 'domain' | 'message' {
  const { phase, command, responseCode: code = 0 } = error;
  const isForRecipients = phase === 'envelope' && command !== 'MAIL FROM' && addressed >= ERRORS_UNTIL_CLOSED;
  if (code === SERVICE_CLOSING && isForRecipients) return 'message';
  if (phase === 'connecting' || code === SERVICE_CLOSING || CREDENTIAL_CODES.has(code)) return 'server';
  if (!code) return 'domain';
  return command === 'RCPT TO' || command === 'DATA' ? 'message' : 'server';
}

/**
 * Tells whether the server has refused this very message for good. A 5xx about the gateway's login, sender address or
 * connection is no such verdict: it concerns every message alike, and the operator can mend it. So the messages wait
 * until then, instead of all being lost to one wrong password.
 */
function isVerdictOnMessage(error: NodemailerError): boolean {
  const code = error.responseCode ?? 0;
  if (code < 500 || CREDENTIAL_CODES.has(code)) return false;
  if (error.code !== 'EENVELOPE' && error.code !== 'EMESSAGE') return false;
  return !(error.command === 'MAIL FROM' && SENDER_REFUSED.test(error.response ?? ''));
}
