/** A term of an SPF record, as far as look-ups are counted. */
export type SpfTerm = Readonly<{
  /** Whether a receiver asks DNS for it (RFC 7208, 4.6.4). */
  asksDns: boolean;
  /** The domain whose record it brings in; null: it refers to none, or to one that a macro names. */
  target: string | null;
}>;

const ASKING = new Set(['include', 'a', 'mx', 'ptr', 'exists']);
const PLAIN = new Set(['all', 'ip4', 'ip6']);

/** Tells whether a text record is one of SPF. */
export const isSpfRecord = (text: string): boolean => /^v=spf1( |$)/i.test(text);

/** A macro names a domain that only a message tells. */
const targetOf = (domain: string): string | null =>
  domain.includes('%') ? null : domain.toLowerCase().replace(/\.$/, '');

/** Reads a mechanism or modifier; null when it is none. */
function readTerm(text: string): SpfTerm | null {
  const [, modifier, value = ''] = /^([a-z][a-z0-9._-]*)=(.*)$/i.exec(text) ?? [];
  if (modifier !== undefined) {
    const isRedirect = modifier.toLowerCase() === 'redirect';
    return { asksDns: isRedirect, target: isRedirect ? targetOf(value) : null };
  }
  const [, mechanism = '', domain] = /^[+?~-]?([a-z0-9]+)(?::([^/\s]*[^\s]*)|\/.*)?$/i.exec(text) ?? [];
  const name = mechanism.toLowerCase();
  if (PLAIN.has(name)) return { asksDns: false, target: null };
  if (!ASKING.has(name)) return null;
  if (name === 'include' && !domain) return null;
  return { asksDns: true, target: name === 'include' ? targetOf(domain!) : null };
}

/** Reads the terms of an SPF record in their order; null when one of them is unknown, which makes it invalid. */
export function spfTerms(record: string): SpfTerm[] | null {
  const terms = record.trim().split(/ +/).slice(1).map(readTerm);
  if (terms.includes(null)) return null;
  const known = terms as SpfTerm[];
  // `redirect` counts for nothing beside `all`.
  const hasAll = /(^| )[+?~-]?all( |$)/i.test(record);
  return hasAll
    ? known.filter((_, index) => !/^redirect=/i.test(record.trim().split(/ +/)[index + 1]!))
    : known;
}
