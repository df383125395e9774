import { LineCounter, parseDocument } from 'yaml';
import { readWith } from '../lib/faults.js';
import { type Document, documentSchema } from './document.schema.js';
import { formatFault, ProvisionError } from './faults.js';

/** Maximum number of expanded aliases: enough for shared field lists, and too few for an alias bomb. */
const MAX_ALIASES = 10_000;

/**
 * Parses a provision document from YAML or JSON, with every check that needs no database.
 *
 * @param locales The platform's languages.
 * @throws ProvisionError with every fault and its path.
 */
export function readDocument(source: string, locales: readonly string[]): Document {
  const json = parseYaml(source);
  const read = readWith(documentSchema(locales), json);
  if ('data' in read) return read.data;
  throw new ProvisionError(read.faults.map(formatFault));
}

function parseYaml(source: string): unknown {
  const lineCounter = new LineCounter();
  const document = parseDocument(source, { lineCounter, prettyErrors: false, uniqueKeys: true });
  // A warning is a tag that the parser does not know, whose meaning could only be guessed.
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0) {
    throw new ProvisionError(
      problems.map(({ pos, message }) => {
        const { line, col } = lineCounter.linePos(pos[0]);
        return `line ${line}, column ${col}: ${message}`;
      }),
    );
  }
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw new ProvisionError([`document: ${(error as Error).message}`]);
  }
}
