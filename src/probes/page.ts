import type { Outbound } from '../lib/outbound/outbound.js';
import { OutboundError, type OutboundFault } from '../lib/outbound/outbound-error.js';
import { finishInTurns, type Steps } from '../lib/steps.js';
import { parseUrl } from '../lib/text/http-url.js';
import { isOwnOrigin } from '../websites/origin.js';
import { attributeOf, decodePage, startTagsWith, withoutComments } from './page-html.js';
import { refreshOf } from './page-refresh.js';
import { ProbeFailure, type ProbeFinding } from './probe-step.js';

const REQUEST = { maxBytes: 2_000_000, maxRedirects: 5 } as const;

/** Bound of all requests together that it takes to come to the page. */
const TIMEOUT_MS = 8_000;

/** How often a page may lead on to another by itself. */
const MAX_REFRESHES = 3;

const SCRIPT = 'formgate.js';

const FAULTS: Readonly<Record<OutboundFault, ProbeFinding>> = {
  bad_address: 'page_redirects',
  // A page is asked for without a secret, so this never happens to it.
  not_encrypted: 'page_unreachable',
  not_public: 'page_not_public',
  unknown_host: 'page_unknown_host',
  unreachable: 'page_unreachable',
  certificate: 'page_certificate',
  timeout: 'page_timeout',
  too_large: 'page_too_large',
  too_many_redirects: 'page_redirects',
};

type Wanted = Readonly<{ websiteId: string; publicUrl: string; pageUrl: URL }>;

/**
 * Tells what is wrong with the script of a page; null when it loads this gateway's script for the website.
 *
 * A page that imports the module has no attributes: it is right when its source has the module's address and the id.
 */
export function* scriptFinding(
  source: string,
  { websiteId, publicUrl, pageUrl }: Wanted,
): Steps<ProbeFinding | null> {
  const html = withoutComments(source);
  const scripts: { url: URL; website: string | null }[] = [];
  for (const tag of startTagsWith(SCRIPT, 'script', html)) {
    const src = attributeOf(tag, 'src');
    const url = src === null ? null : parseUrl(src, pageUrl.href);
    if (url?.pathname.endsWith(`/${SCRIPT}`))
      scripts.push({ url, website: attributeOf(tag, 'data-website') });
    // Hundreds of hostile hosts take long to parse.
    yield;
  }
  const own = scripts.filter(({ url }) => url.href.startsWith(`${publicUrl}/`));
  if (own.some(({ website }) => website?.trim().toLowerCase() === websiteId)) return null;
  if (html.includes(`${publicUrl}/formgate.mjs`) && html.toLowerCase().includes(websiteId)) return null;
  if (own.length > 0) return 'page_other_website';
  return scripts.length > 0 ? 'page_other_gateway' : 'page_without_script';
}

export type CheckedWebsite = Readonly<{ id: string; url: string; host: string }>;

/** A page, and the address that it has after redirects, whose origin a visitor's browser sends. */
export type Page = Readonly<{ url: URL; html: string }>;

type Options = Readonly<{
  outbound: Pick<Outbound, 'get'>;
  userAgent: string;
  signal: AbortSignal;
  /** Receives when the certificate of what answers expires, whatever the answer is; null over http. */
  onCertificate(expiresAt: Date | null): void;
}>;

/** Fetches the page that visitors of a website's address come to. @throws ProbeFailure unless it answers with a 2xx. */
export async function fetchPage(
  website: CheckedWebsite,
  { outbound, userAgent, signal, onCertificate }: Options,
): Promise<Page> {
  const headers = { Accept: 'text/html', 'User-Agent': userAgent };
  const until = performance.now() + TIMEOUT_MS;
  let address = website.url;
  for (let refreshes = 0; ; refreshes++) {
    const timeoutMs = Math.max(until - performance.now(), 1);
    const answer = await outbound.get(address, { ...REQUEST, timeoutMs, headers, signal }).catch((error) => {
      throw error instanceof OutboundError ? new ProbeFailure(FAULTS[error.fault], error.message) : error;
    });
    const { status, url, body } = answer;
    onCertificate(answer.certificateExpiresAt);
    if (status < 200 || status > 299) throw new ProbeFailure('page_status', `HTTP ${status}, ${url.href}`);
    const html = decodePage(body, answer.headers['content-type']);
    const next = refreshes < MAX_REFRESHES ? refreshOf(html, url) : null;
    if (next === null) return { url, html };
    address = next;
  }
}

/** Requires that a page is on the website's host and loads the script for it. @throws ProbeFailure otherwise. */
export async function requireScript(
  { url, html }: Pick<Page, 'url' | 'html'>,
  website: CheckedWebsite,
  publicUrl: string,
): Promise<void> {
  if (!isOwnOrigin(url.origin, website.host)) throw new ProbeFailure('page_other_host', url.host);
  const wanted = { websiteId: website.id, publicUrl, pageUrl: url };
  const finding = await finishInTurns(scriptFinding(html, wanted));
  if (finding) throw new ProbeFailure(finding, url.href);
}
