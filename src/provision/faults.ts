import { StartError } from '../errors.js';
import type { Fault } from '../lib/faults.js';

/** Where in a document something stands. */
export type Path = Fault['path'];

/** The document cannot be applied; nothing was written. The message lists every fault, one per line. */
export class ProvisionError extends StartError {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/** Writes a path the way a reader finds it: `teams[0].forms[1].fields[2].name`. */
function formatPath(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    if (!/^[\w-]+$/.test(String(key))) return `${text}[${JSON.stringify(String(key))}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** A fault as one line, `path: message`. */
export function formatFault({ path, message }: Fault): string {
  return `${path.length === 0 ? 'document' : formatPath(path)}: ${message}`;
}
