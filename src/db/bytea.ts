/** Encodes bytes in PostgreSQL's `bytea` hex format (manual, 8.4.1). */
export const byteaText = (bytes: Uint8Array): string =>
  `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;

/** Decodes what `byteaText` has encoded. */
export const byteaBytes = (text: string): Uint8Array => Buffer.from(text.slice(2), 'hex');
