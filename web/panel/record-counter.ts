/** Returns a function that counts the records in portions of a CSV file: the line ends outside quotes (RFC 4180). */
export function createRecordCounter(): (portion: Uint8Array) => number {
  let isQuoted = false;
  let records = 0;
  return (portion) => {
    for (const byte of portion) {
      if (byte === 0x22) isQuoted = !isQuoted;
      else if (byte === 0x0a && !isQuoted) records += 1;
    }
    return records;
  };
}
