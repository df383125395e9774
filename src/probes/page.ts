import { type Outbound, OutboundError, type OutboundFault } from '../lib/outbound/outbound.js';
import { isOwnOrigin } from '../websites/origin.js';
import { ProbeFailure, type ProbeFinding } from './probe-step.js';

const REQUEST = { timeoutMs: 8_000, maxBytes: 2_000_000, maxRedirects: 5 } as const;

/*
 * What is looked at in a page: the event loop waits meanwhile, and a hostile page would make it wait for long.
 * No script element with our attributes is longer, and no honest page has more of them, or of comments.
 */
const MAX_TAG_LENGTH = 2_000;
const MAX_TAGS = 500;
const MAX_COMMENTS = 10_000;

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

/** Drops comments; one that never ends hides the rest, as in browsers, and so do too many. */
function withoutComments(html: string): string {
  const parts: string[] = [];
  for (let at = 0; at < html.length && parts.length < MAX_COMMENTS; ) {
    const start = html.indexOf('<!--', at);
    parts.push(html.slice(at, start < 0 ? undefined : start));
    const end = start < 0 ? -1 : html.indexOf('-->', start + 4);
    if (end < 0) break;
    at = end + 3;
  }
  return parts.join('');
}

/** Returns the start tag of the script element around a position, without its brackets; null when there is none. */
function scriptTagAround(html: string, position: number): string | null {
  const before = html.slice(Math.max(0, position - MAX_TAG_LENGTH), position);
  const start = before.toLowerCase().lastIndexOf('<script');
  if (start < 0 || before.includes('>', start)) return null;
  const after = html.slice(position, position + MAX_TAG_LENGTH);
  const end = after.indexOf('>');
  return end < 0 ? null : before.slice(start + '<script'.length) + after.slice(0, end);
}

/** Lists the start tags of script elements that name the script. */
function scriptTags(html: string): string[] {
  const tags: (string | null)[] = [];
  for (let at = html.indexOf(SCRIPT); at >= 0 && tags.length < MAX_TAGS; at = html.indexOf(SCRIPT, at + 1)) {
    tags.push(scriptTagAround(html, at));
  }
  return tags.filter((tag) => tag !== null);
}

function attributeOf(tag: string, name: 'src' | 'data-website'): string | null {
  const [, double, single, bare] =
    new RegExp(`(?:^|[\\s"'/])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag) ?? [];
  return double ?? single ?? bare ?? null;
}

type Wanted = Readonly<{ websiteId: string; publicUrl: string; pageUrl: URL }>;

/**
 * Tells what is wrong with the script of a page; null when it loads this gateway's script for the website.
 *
 * A page that imports the module has no attributes: it is right when its source has the module's address and the id.
 */
export function scriptFinding(
  source: string,
  { websiteId, publicUrl, pageUrl }: Wanted,
): ProbeFinding | null {
  const html = withoutComments(source);
  const scripts = scriptTags(html).flatMap((tag) => {
    const src = attributeOf(tag, 'src');
    const url = src !== null && URL.canParse(src, pageUrl.href) ? new URL(src, pageUrl) : null;
    return url?.pathname.endsWith(`/${SCRIPT}`) ? [{ url, website: attributeOf(tag, 'data-website') }] : [];
  });
  const own = scripts.filter(({ url }) => url.href.startsWith(`${publicUrl}/`));
  if (own.some(({ website }) => website?.trim().toLowerCase() === websiteId)) return null;
  if (html.includes(`${publicUrl}/formgate.mjs`) && html.toLowerCase().includes(websiteId)) return null;
  if (own.length > 0) return 'page_other_website';
  return scripts.length > 0 ? 'page_other_gateway' : 'page_without_script';
}

export type CheckedWebsite = Readonly<{ id: string; url: string; host: string }>;

/** A page, and the address that it has after redirects, whose origin a visitor's browser sends. */
export type Page = Readonly<{
  url: URL;
  html: string;
  /** When its certificate expires; null over http. */
  certificateExpiresAt: Date | null;
}>;

type Options = Readonly<{ outbound: Pick<Outbound, 'get'>; userAgent: string; signal: AbortSignal }>;

/** Fetches the page at a website's address. @throws ProbeFailure unless it answers with a 2xx. */
export async function fetchPage(
  website: CheckedWebsite,
  { outbound, userAgent, signal }: Options,
): Promise<Page> {
  const headers = { Accept: 'text/html', 'User-Agent': userAgent };
  try {
    const answer = await outbound.get(website.url, { ...REQUEST, headers, signal });
    const { status, url, body, certificateExpiresAt } = answer;
    // Everything that is looked for is ASCII, and each byte a character of its own takes a tenth of UTF-8's time.
    if (status >= 200 && status <= 299) return { url, html: body.toString('latin1'), certificateExpiresAt };
    throw new ProbeFailure('page_status', `HTTP ${status}, ${url.href}`);
  } catch (error) {
    throw error instanceof OutboundError ? new ProbeFailure(FAULTS[error.fault], error.message) : error;
  }
}

/** Requires that a page is on the website's host and loads the script for it. @throws ProbeFailure otherwise. */
export function requireScript(
  { url, html }: Pick<Page, 'url' | 'html'>,
  website: CheckedWebsite,
  publicUrl: string,
): void {
  if (!isOwnOrigin(url.origin, website.host)) throw new ProbeFailure('page_other_host', url.host);
  const finding = scriptFinding(html, { websiteId: website.id, publicUrl, pageUrl: url });
  if (finding) throw new ProbeFailure(finding, url.href);
}
