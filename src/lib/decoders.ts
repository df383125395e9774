import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** The decoders of bodies by their `Content-Encoding` (RFC 9110, section 8.4). */
export const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);
