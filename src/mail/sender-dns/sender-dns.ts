import { Resolver } from 'node:dns/promises';
import { isSpfRecord, type SpfTerm, spfTerms } from './spf.js';

/** What is checked of the sender's domain, and of the one to which delivery reports go. */
export type SenderCheckName = 'spf' | 'dmarc' | 'bounce_mx' | 'bounce_spf';

/** Why a check fails, as a stable word. */
export type SenderFinding =
  | 'ok'
  | 'missing'
  | 'several_records'
  | 'too_many_lookups'
  | 'refers_to_itself'
  | 'broken_reference'
  | 'invalid'
  /** DNS did not answer, so that nothing is known. */
  | 'unknown';

/** What DNS says about one thing; `detail` names the record or the domain at fault. */
export type SenderCheckResult = Readonly<{ name: SenderCheckName; finding: SenderFinding; detail: string }>;

/** Look-ups that a receiver makes of an SPF record before it gives up (RFC 7208, 4.6.4). */
const MAX_LOOKUPS = 10;

/** Labels of the longest domain above the sender's that is asked for a DMARC policy (DMARCbis, 4.10). */
const MAX_PARENT_LABELS = 7;

/** Domains that are in no public DNS (RFC 6761): the demo's, whose e-mails go nowhere. */
const RESERVED = /(^|\.)(test|example|invalid|localhost)$/;

const TIMEOUT_MS = 3_000;
const TRIES = 2;

/** Error codes by which a resolver says that there is no such record. */
const NONE = new Set(['ENOTFOUND', 'ENODATA']);

/** Lists the names at which a domain's DMARC record may be: its own, then those above it, up to the last label. */
function dmarcNames(domain: string): string[] {
  const labels = domain.split('.');
  const parents = labels.map((_, at) => labels.slice(at + 1)).filter(({ length }) => length > 0);
  const asked = parents.filter(({ length }) => length <= MAX_PARENT_LABELS);
  return [domain, ...asked.map((parent) => parent.join('.'))].map((each) => `_dmarc.${each}`);
}

/** A check that ends with a finding. */
class Fault extends Error {
  constructor(
    readonly finding: SenderFinding,
    readonly detail: string,
  ) {
    super(detail);
  }
}

export type SenderDns = ReturnType<typeof createSenderDns>;

type Options = Readonly<{
  /** The domain of MAIL_FROM. */
  domain: string;
  /** Where delivery reports go, the envelope's domain of e-mails about leads; null: that of MAIL_FROM is. */
  bounceDomain: string | null;
  /** Null: the resolvers of the system. */
  servers: readonly string[] | null;
}>;

/** Checks the DNS records by which receivers judge the sender's domain. */
export function createSenderDns({ domain, bounceDomain, servers }: Options) {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);

  /** Asks for records; none are an empty list. @throws Fault when DNS does not answer. */
  async function ask<T>(name: string, query: () => Promise<T[]>): Promise<T[]> {
    try {
      return await query();
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (NONE.has(code)) return [];
      throw new Fault('unknown', `${name}: ${code}`);
    }
  }

  /** Reads the text records of a name, their pieces joined. */
  const texts = async (name: string): Promise<string[]> =>
    (await ask(name, () => resolver.resolveTxt(name))).map((pieces) => pieces.join(''));

  /** Reads the one SPF record of a name. @throws Fault when there is none, or several. */
  async function spfRecord(name: string): Promise<string> {
    const [record, another] = (await texts(name)).filter(isSpfRecord);
    if (record === undefined) throw new Fault('missing', name);
    if (another !== undefined) throw new Fault('several_records', name);
    return record;
  }

  /** Counts the look-ups of a record and of those it refers to. @throws Fault from the eleventh on. */
  async function countLookups(name: string, path: readonly string[], counted: number): Promise<number> {
    if (path.includes(name)) throw new Fault('refers_to_itself', [...path, name].join(' → '));
    const record = await spfRecord(name).catch((error) => {
      // A reference to a domain without a record makes the whole record invalid (RFC 7208, 5.2).
      const isBroken = path.length > 0 && error instanceof Fault && error.finding === 'missing';
      throw isBroken ? new Fault('broken_reference', `${path.at(-1)} → ${name}`) : error;
    });
    const terms: readonly SpfTerm[] | null = spfTerms(record);
    if (terms === null) throw new Fault('invalid', `${name}: ${record}`);
    let lookups = counted;
    for (const { asksDns, target } of terms) {
      if (asksDns) lookups += 1;
      if (lookups > MAX_LOOKUPS) throw new Fault('too_many_lookups', name);
      if (target !== null) lookups = await countLookups(target, [...path, name], lookups);
    }
    return lookups;
  }

  /** Runs a check, whose faults are what it finds. */
  async function check(name: SenderCheckName, work: () => Promise<string>): Promise<SenderCheckResult> {
    try {
      return { name, finding: 'ok', detail: await work() };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { name, finding: error.finding, detail: error.detail };
    }
  }

  const spf = (name: SenderCheckName, of: string) =>
    check(name, async () => `${of}, ${await countLookups(of, [], 0)} of ${MAX_LOOKUPS} look-ups`);

  /** A domain without a DMARC record of its own has the first one above it (the tree walk of DMARCbis, 4.10). */
  const dmarc = () =>
    check('dmarc', async () => {
      const names = dmarcNames(domain);
      for (const name of names) {
        const [record, another] = (await texts(name)).filter((text) => /^v=DMARC1\s*(;|$)/.test(text));
        if (another !== undefined) throw new Fault('several_records', name);
        if (record === undefined) continue;
        if (!/;\s*p\s*=\s*(none|quarantine|reject)\s*(;|$)/i.test(record)) throw new Fault('invalid', name);
        return `${name}: ${record}`;
      }
      throw new Fault('missing', names[0]!);
    });

  const bounceMx = (name: string) =>
    check('bounce_mx', async () => {
      const records = await ask(name, () => resolver.resolveMx(name));
      const exchanges = records.filter(({ exchange }) => exchange !== '');
      if (exchanges.length === 0) throw new Fault('missing', name);
      return `${name} → ${exchanges.map(({ exchange }) => exchange).join(', ')}`;
    });

  return {
    /** Runs every check that this installation needs; of a domain that no public resolver knows there are none. */
    async run(): Promise<SenderCheckResult[]> {
      if (!servers && RESERVED.test(domain)) return [];
      const ofBounces =
        bounceDomain === null ? [] : [bounceMx(bounceDomain), spf('bounce_spf', bounceDomain)];
      return Promise.all([spf('spf', domain), dmarc(), ...ofBounces]);
    },
  };
}
