import { StartError } from '../errors.js';
import type { Fault } from '../lib/faults.js';

/** The path of a value in a document. */
export type Path = Fault['path'];

/** A document that cannot be applied; nothing was written. The message lists every fault, one per line. */
export class ProvisionError extends StartError {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/** Formats a path, as in `teams[0].forms[1].fields[2].name`. */
function formatPath(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    if (!/^[\w-]+$/.test(String(key))) return `${text}[${JSON.stringify(String(key))}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** Formats a fault as one line, `path: message`. */
export function formatFault({ path, message }: Fault): string {
  return `${path.length === 0 ? 'document' : formatPath(path)}: ${message}`;
}
