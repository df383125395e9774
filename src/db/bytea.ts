/** Bytes in a text as PostgreSQL reads them (manual, 8.4.1: `bytea` hex format). */
export const byteaText = (bytes: Uint8Array): string =>
  `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
