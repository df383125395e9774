import { parseUrl } from '../lib/text/http-url.js';
import { attributeOf, startTagsWith, withoutComments } from './page-html.js';

/** Longest delay of a refresh that is there to lead visitors on, in seconds. */
const MAX_DELAY_S = 5;

/** Elements whose content browsers with scripts take for no elements. One that never ends goes on to the end. */
const INERT = /<(noscript|script|template)(?=[\s/>])[\s\S]*?(?:<\/\1|$)/gi;

/** Reads the `content` of a refresh, as in `0; url=/en/`. @returns the address; null when it leads nowhere, or late. */
function addressOf(content: string): string | null {
  const [, delay, rest = ''] = /^\s*(\d+)[\d.]*(.*)$/s.exec(content) ?? [];
  if (delay === undefined || Number(delay) > MAX_DELAY_S) return null;
  const address = rest.replace(/^[\s;,]+/, '').replace(/^url\s*=\s*/i, '');
  const quote = /^["']/.exec(address)?.[0];
  const written = quote ? address.slice(1).split(quote, 1)[0]! : address.trim();
  return written.replaceAll('&amp;', '&') || null;
}

/** Finds where a page leads its visitors by `<meta http-equiv="refresh">`; null: they stay. */
export function refreshOf(html: string, pageUrl: URL): string | null {
  // Most pages have none, and are not looked through.
  if (!/http-equiv/i.test(html)) return null;
  const shown = withoutComments(html)
    .replace(INERT, '')
    .replace(/http-equiv/gi, 'http-equiv');
  for (const tag of startTagsWith('http-equiv', 'meta', shown)) {
    if (attributeOf(tag, 'http-equiv')?.trim().toLowerCase() !== 'refresh') continue;
    const address = addressOf(attributeOf(tag, 'content') ?? '');
    const url = address === null ? null : parseUrl(address, pageUrl.href);
    const isElsewhere = url?.href.split('#', 1)[0] !== pageUrl.href.split('#', 1)[0];
    if (url && /^https?:$/.test(url.protocol) && isElsewhere) return url.href;
  }
  return null;
}
