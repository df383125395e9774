import { DECODERS } from '../decoders.js';

/**
 * Decodes a body by its `Content-Encoding` (RFC 9110, section 8.4). Some servers keep their pages compressed, and send
 * them so to every client. One of an unknown encoding is returned as it is.
 *
 * @returns null when it would have more than `maxBytes`.
 * @throws when it is not encoded as it is said to be.
 */
export async function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Buffer | null> {
  const name = encoding?.trim().toLowerCase() ?? '';
  const decode = DECODERS.get(name === 'x-gzip' ? 'gzip' : name);
  if (!decode || body.length === 0) return body;
  return decode(body, { maxOutputLength: maxBytes }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  });
}
