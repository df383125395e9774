import type { Actor } from '../audit/audit.js';

/** Who acts through the command line, for the audit trail. */
export const ACTOR: Actor = { userId: null, channel: 'command_line' };

/** Writes a line of a command's answer. */
export const print = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Puts a text that others wrote on one line, without what a terminal would obey. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ').trim();

/** Formats rows as columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
