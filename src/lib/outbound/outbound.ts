import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TLSSocket } from 'node:tls';
import { withDeadline } from '../deadline.js';
import { parseUrl } from '../text/http-url.js';
import { createAddressCheck, createOpenedCheck, type IsAllowed } from './addresses.js';
import { decodeBody } from './decode-body.js';
import { OutboundError, type OutboundFault } from './outbound-error.js';
import { createResolveName, type ResolveName } from './resolve-name.js';

export type OutboundRequest = Readonly<{
  headers?: Readonly<Record<string, string>>;
  /** Bound of the whole call, its redirects included. */
  timeoutMs: number;
  /** Bound of the answer's body, also of one that is compressed. */
  maxBytes: number;
  /** Redirects that are followed; the next one is a fault. */
  maxRedirects: number;
  signal?: AbortSignal;
}>;

type OutboundAnswer = Readonly<{
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** The address that answered, after redirects. */
  url: URL;
  /** When the certificate of the server that answered expires; null over http. */
  certificateExpiresAt: Date | null;
}>;

type OutboundPost = Pick<OutboundRequest, 'headers' | 'timeoutMs' | 'signal'> &
  Readonly<{
    body: string;
    /** How much of the answer's body is read; the rest is left. */
    keptBytes: number;
  }>;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Interim responses (1xx) before the answer: each takes the event loop's time, and nothing else would end them. */
const MAX_INTERIM_RESPONSES = 20;

/** Chunks of a body, each of which takes the event loop's time however small it is. */
const MAX_CHUNKS = 10_000;

/**
 * Options of each connection. Of a host's addresses each but the last has so long to answer: Node's 250 ms are less
 * than a handshake with the other side of the world takes, or one that the kernel repeats after a second.
 */
const CONNECTING = { autoSelectFamilyAttemptTimeout: 1_200 };

/** Error codes by which Node.js refuses a certificate. */
const CERTIFICATE = /CERT|SIGNATURE|ALTNAME|^ERR_TLS/;

/** System calls in which a name is resolved. */
const RESOLUTION = /^(query|getaddrinfo)/;

/** Makes the error of a call that got no answer of what has ended it. */
function toOutboundError(error: unknown, signal: AbortSignal): OutboundError {
  if (error instanceof OutboundError) return error;
  if (signal.aborted) return new OutboundError('timeout', 'No answer in time.');
  const { code = '', message, syscall } = error as NodeJS.ErrnoException;
  // The message of a failed connection names its address; happy eyeballs join several, and leave it empty.
  const said = syscall === 'connect' ? code : message || code;
  if (syscall && RESOLUTION.test(syscall)) return new OutboundError('unknown_host', said);
  return new OutboundError(CERTIFICATE.test(code) ? 'certificate' : 'unreachable', said);
}

/** Escapes what is not ASCII in a header, of which Node.js makes a character of each byte, as browsers do. */
const escapeBytes = (header: string): string =>
  header.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

/** Returns the host of an address, a literal of IPv6 without its brackets. */
const literalOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/**
 * Reads an address that a person typed or a redirect leads to.
 *
 * The parser of URLs spells literal addresses in one way, whether octal, hexadecimal, shortened or a number.
 *
 * @param base What a relative address is relative to.
 */
function readAddress(text: string, isAllowed: IsAllowed, base?: string): URL {
  const url = parseUrl(text, base);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new OutboundError('bad_address', text);
  }
  const literal = literalOf(url);
  if (isIP(literal) && !isAllowed(literal)) throw new OutboundError('not_public', literal);
  return url;
}

/**
 * Creates the resolver of a connection, which refuses a name when any of its addresses is not allowed.
 *
 * The connection goes to the very addresses that were checked here, so no second resolution can differ.
 */
const createLookup =
  (isAllowed: IsAllowed, resolve: ResolveName, fault: OutboundFault = 'not_public'): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        if (!addresses.every(({ address }) => isAllowed(address))) {
          return callback(new OutboundError(fault, hostname), []);
        }
        if (options.all) return callback(null, [...addresses]);
        const [first] = addresses;
        return callback(null, first?.address ?? '', first?.family);
      },
      (error) => callback(error, []),
    );
  };

/** Reads when the certificate of a connection expires, which Node.js has verified. */
function certificateExpiry({ socket }: IncomingMessage): Date | null {
  if (!(socket instanceof TLSSocket)) return null;
  const expiresAt = new Date(socket.getPeerCertificate().valid_to);
  return Number.isNaN(expiresAt.getTime()) ? null : expiresAt;
}

/**
 * Reads a body, decoded.
 *
 * @throws OutboundError when it has more than `maxBytes`, compressed or decoded, or comes in too many chunks.
 */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new OutboundError('too_large', `More than ${maxBytes} bytes.`);
  const chunks: Buffer[] = [];
  let size = 0;
  // Unlike an iterator, which joins what has come, a stream is written each chunk.
  const collected = new Writable({
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) done(tooLarge());
      else if (chunks.length > MAX_CHUNKS)
        done(new OutboundError('too_large', `More than ${MAX_CHUNKS} chunks.`));
      else done();
    },
  });
  await pipeline(response, collected);
  const body = await decodeBody(Buffer.concat(chunks), response.headers['content-encoding'], maxBytes);
  if (body === null) throw tooLarge();
  return body;
}

/**
 * Reads the beginning of a body. The status is known by then, so a body that breaks off or drips is cut, not an error.
 */
async function readStart(response: IncomingMessage, keptBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= keptBytes) break;
    }
  } catch {
    // What came is kept.
  }
  response.destroy();
  return Buffer.concat(chunks).subarray(0, keptBytes);
}

export type Outbound = ReturnType<typeof createOutbound>;

/**
 * Creates the one way by which Formgate calls addresses that a person typed.
 *
 * It refuses what is not public: as a literal in any spelling, after the resolution of a name, and at each redirect.
 *
 * @param allowed Subnets that are open all the same.
 * @param resolve Resolves names.
 */
export function createOutbound(allowed: readonly string[], resolve: ResolveName = createResolveName()) {
  const isAllowed = createAddressCheck(allowed);
  const isOpened = createOpenedCheck(allowed);
  const lookup = createLookup(isAllowed, resolve);
  const lookupOpened = createLookup(isOpened, resolve, 'not_encrypted');

  /** Reads an address that takes secrets: https, or http where an operator has opened it. */
  function readSecretAddress(address: string): { url: URL; lookup: LookupFunction } {
    const url = readAddress(address, isAllowed);
    if (url.protocol === 'https:') return { url, lookup };
    const host = literalOf(url);
    if (isIP(host) ? !isOpened(host) : allowed.length === 0) throw new OutboundError('not_encrypted', host);
    return { url, lookup: lookupOpened };
  }

  /**
   * Sends one request over a connection of its own, and resolves with the head of its answer.
   *
   * It rejects whenever the connection closes before that: Node.js emits no `error` when a server switches protocols.
   */
  function ask(url: URL, options: RequestOptions, body?: string): Promise<IncomingMessage> {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((answer, reject) => {
      let interim = 0;
      const request = send(url, { lookup, agent: false, ...CONNECTING, ...options });
      request
        .on('response', answer)
        .on('information', () => {
          interim += 1;
          if (interim > MAX_INTERIM_RESPONSES) {
            const said = `More than ${MAX_INTERIM_RESPONSES} interim responses.`;
            request.destroy(new OutboundError('unreachable', said));
          }
        })
        .on('error', reject)
        .on('close', () =>
          reject(new OutboundError('unreachable', 'The connection closed without an answer.')),
        )
        .on('upgrade', ({ statusCode }, socket) => {
          socket.destroy();
          reject(new OutboundError('unreachable', `HTTP ${statusCode}`));
        })
        .end(body);
    });
  }

  return {
    /**
     * Fetches an address with GET.
     *
     * @throws OutboundError when no complete answer comes, whatever the reason.
     */
    get(address: string, request: OutboundRequest): Promise<OutboundAnswer> {
      const { headers, timeoutMs, maxBytes, maxRedirects } = request;
      return withDeadline(timeoutMs, request.signal, async (signal) => {
        try {
          let url = readAddress(address, isAllowed);
          for (let redirects = 0; ; redirects++) {
            const response = await ask(url, { headers, signal });
            const { statusCode: status = 0, headers: answered } = response;
            const location = answered.location && escapeBytes(answered.location);
            if (!REDIRECTS.has(status) || !location) {
              const certificateExpiresAt = certificateExpiry(response);
              const body = await readBody(response, maxBytes);
              return { status, headers: answered, body, url, certificateExpiresAt };
            }
            response.destroy();
            if (redirects === maxRedirects) throw new OutboundError('too_many_redirects', location);
            url = readAddress(location, isAllowed, url.href);
          }
        } catch (error) {
          throw toOutboundError(error, signal);
        }
      });
    },

    /**
     * Tells what is wrong with an address that takes secrets, before it is first called; null: nothing that shows
     * without a connection.
     *
     * A name over https is resolved with each call, not here: an answer now says nothing about the next one. Over http
     * it has to lead to an address that an operator has opened, or the person who types it learns too late.
     */
    async faultOf(address: string): Promise<OutboundFault | null> {
      try {
        const { url } = readSecretAddress(address);
        const host = literalOf(url);
        if (url.protocol === 'https:' || isIP(host)) return null;
        const addresses = await resolve(host).catch(() => []);
        const isOpen = addresses.length > 0 && addresses.every(({ address: found }) => isOpened(found));
        return isOpen ? null : 'not_encrypted';
      } catch (error) {
        return error instanceof OutboundError ? error.fault : 'bad_address';
      }
    },

    /**
     * Sends a body with POST, over https, or over http where an operator has opened the address. It follows no
     * redirect.
     *
     * @throws OutboundError when no head of an answer comes, whatever the reason.
     */
    post(address: string, { body, headers, timeoutMs, keptBytes, signal: outer }: OutboundPost) {
      return withDeadline(timeoutMs, outer, async (signal): Promise<OutboundAnswer> => {
        try {
          const { url, lookup } = readSecretAddress(address);
          const response = await ask(url, { method: 'POST', headers, signal, lookup }, body);
          const { statusCode: status = 0, headers: answered } = response;
          const certificateExpiresAt = certificateExpiry(response);
          const kept = await readStart(response, keptBytes);
          return { status, headers: answered, body: kept, url, certificateExpiresAt };
        } catch (error) {
          throw toOutboundError(error, signal);
        }
      });
    },
  };
}
