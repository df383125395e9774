import { z } from 'zod';
import { invalid } from '../errors.js';
import { firstCharacters } from '../lib/text/characters.js';
import { httpUrlOrNull } from '../lib/text/http-url.js';
import { storableText } from '../lib/text/storable-text.js';

/** Maximum lengths in characters. A longer value is cut, since the visit still counts. */
const MAX_ADDRESS_LENGTH = 2_048;
const MAX_TITLE_LENGTH = 1_000;
const MAX_LOCALE_LENGTH = 35;
const MAX_UTM_LENGTH = 255;

const isParsableHttpUrl = (text: string) => httpUrlOrNull(text) !== null;

const bounded = (text: string, length: number): string => storableText(firstCharacters(text, length));

/** Schema of a page's own texts, which are cut or dropped rather than refused. */
const pageTitle = z
  .string()
  .transform((title) => bounded(title, MAX_TITLE_LENGTH) || null)
  .nullish()
  .catch(null);

const pageLocale = z
  .string()
  .max(MAX_LOCALE_LENGTH)
  .transform((locale) => storableText(locale) || null)
  .nullish()
  .catch(null);

/** Schema of the body of a visit. */
export const visitBody = z.object({
  page_url: z
    .string({ error: 'Must be an http or https address.' })
    .refine(isParsableHttpUrl, { error: 'Must be an http or https address.' }),
  page_title: pageTitle,
  page_locale: pageLocale,
  // The browser sends it, so an invalid one is ignored.
  referrer: z.string().refine(isParsableHttpUrl).nullish().catch(null),
});

/** A page view as it is recorded. */
export type PageView = Readonly<{
  pageUrl: string;
  pageTitle: string | null;
  pageLocale: string | null;
  referrer: string | null;
  utmSource: string | null;
  utmMedium: string | null;
  utmCampaign: string | null;
  utmTerm: string | null;
  utmContent: string | null;
}>;

/** Selects the parameters of a campaign; others may hold text that a person typed. */
const campaignOf = ({ search }: URL): string =>
  search
    .slice(1)
    .split('&')
    .filter((parameter) => /^utm_/i.test(parameter))
    .join('&');

/** Removes user, fragment and query from an address, except for the given query. */
function address({ origin, pathname }: URL, query = ''): string {
  const text = `${origin}${pathname}${query && `?${query}`}`;
  // An escape sequence at the cut is removed whole.
  return text.length <= MAX_ADDRESS_LENGTH
    ? text
    : text.slice(0, MAX_ADDRESS_LENGTH).replace(/%[\da-f]?$/i, '');
}

/** Returns what is kept of a page's address: no user, no fragment, and of the query the campaign. */
export const pageAddress = (page: URL): string => address(page, campaignOf(page));

/** Returns what is kept of a referrer: no user, no query and no fragment. */
export const referrerAddress = (referrer: URL): string => address(referrer);

/**
 * Reads the body of a visit: `page_url`, and optionally `page_title`, `referrer` and `page_locale`.
 *
 * It ignores other keys.
 *
 * @throws 422 with the errors of each field.
 */
export function readPageView(body: object): PageView {
  const { data, error } = visitBody.safeParse(body);
  if (error) throw invalid(z.flattenError(error).fieldErrors);
  const page = new URL(data.page_url);
  const utm = (name: string) => bounded(page.searchParams.get(name) ?? '', MAX_UTM_LENGTH) || null;
  return {
    pageUrl: pageAddress(page),
    pageTitle: data.page_title ?? null,
    pageLocale: data.page_locale ?? null,
    referrer: data.referrer ? referrerAddress(new URL(data.referrer)) : null,
    utmSource: utm('utm_source'),
    utmMedium: utm('utm_medium'),
    utmCampaign: utm('utm_campaign'),
    utmTerm: utm('utm_term'),
    utmContent: utm('utm_content'),
  };
}
