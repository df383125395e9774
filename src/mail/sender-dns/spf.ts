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

/** A term as it is written. The value of a mechanism begins with its separator, as in `:example.org` or `/24`. */
type ParsedTerm =
  | Readonly<{ kind: 'mechanism'; name: string; value: string }>
  | Readonly<{ kind: 'modifier'; name: string; value: string }>;

/** Parses a term; null when it is neither a mechanism, after a qualifier or none, nor a modifier. */
function parseTerm(text: string): ParsedTerm | null {
  const [, modifier, setting = ''] = /^([a-z][a-z0-9._-]*)=(.*)$/i.exec(text) ?? [];
  if (modifier !== undefined) return { kind: 'modifier', name: modifier.toLowerCase(), value: setting };
  const [, mechanism, value = ''] = /^[+?~-]?([a-z0-9]+)(:\S*|\/.*)?$/i.exec(text) ?? [];
  return mechanism === undefined ? null : { kind: 'mechanism', name: mechanism.toLowerCase(), value };
}

/** Returns what a receiver looks up for a term; null when its mechanism is unknown or lacks its domain. */
function lookupOf({ kind, name, value }: ParsedTerm): SpfTerm | null {
  if (kind === 'modifier') {
    const isRedirect = name === 'redirect';
    return { asksDns: isRedirect, target: isRedirect ? targetOf(value) : null };
  }
  if (PLAIN.has(name)) return { asksDns: false, target: null };
  if (!ASKING.has(name)) return null;
  if (name !== 'include') return { asksDns: true, target: null };
  return /^:./.test(value) ? { asksDns: true, target: targetOf(value.slice(1)) } : null;
}

/** Reads the terms of an SPF record in their order; null when one of them is unknown, which makes it invalid. */
export function spfTerms(record: string): SpfTerm[] | null {
  const parsed = record.trim().split(/ +/).slice(1).map(parseTerm);
  const hasAll = parsed.some(
    (term) => term?.kind === 'mechanism' && term.name === 'all' && term.value === '',
  );
  // A record with `all` never gets to `redirect` (RFC 7208, 6.1).
  const isIgnored = (term: ParsedTerm | null) =>
    hasAll && term?.kind === 'modifier' && term.name === 'redirect';
  const terms: SpfTerm[] = [];
  for (const term of parsed) {
    const lookup = term && lookupOf(term);
    if (!lookup) return null;
    if (!isIgnored(term)) terms.push(lookup);
  }
  return terms;
}
