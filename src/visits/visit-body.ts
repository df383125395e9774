import { z } from 'zod';
import { invalid } from '../errors.js';
import { firstCharacters } from '../lib/characters.js';
import { httpUrlOrNull } from '../lib/http-url.js';
import { storableText } from '../lib/storable-text.js';

/** In characters, as a person counts them: what is longer is cut, since the visit counts all the same. */
const MAX_ADDRESS_LENGTH = 2_048;
const MAX_TITLE_LENGTH = 1_000;
const MAX_LOCALE_LENGTH = 35;
const MAX_UTM_LENGTH = 255;

const isHttpUrl = (text: string) => httpUrlOrNull(text) !== null;

const bounded = (text: string, length: number): string => storableText(firstCharacters(text, length));

/** What a page says of itself is cut or left out rather than refused. */
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

/** The body of a visit. */
export const visitBody = z.object({
  page_url: z
    .string({ error: 'Must be an http or https address.' })
    .refine(isHttpUrl, { error: 'Must be an http or https address.' }),
  page_title: pageTitle,
  page_locale: pageLocale,
  // Not of the visitor's making: one that is of no use is no error.
  referrer: z.string().refine(isHttpUrl).nullish().catch(null),
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

/** The parameters of a campaign. Any other may hold what a person has typed. */
const campaignOf = ({ search }: URL): string =>
  search
    .slice(1)
    .split('&')
    .filter((parameter) => /^utm_/i.test(parameter))
    .join('&');

/** An address without user, fragment and, but for what is given, query. */
function address({ origin, pathname }: URL, query = ''): string {
  const text = `${origin}${pathname}${query && `?${query}`}`;
  // An escape that the cut would halve goes as a whole.
  return text.length <= MAX_ADDRESS_LENGTH
    ? text
    : text.slice(0, MAX_ADDRESS_LENGTH).replace(/%[\da-f]?$/i, '');
}

/**
 * Reads the body of a visit: `page_url`, and optionally `page_title`, `referrer` and `page_locale`. Anything
 * else in it is ignored.
 *
 * @throws 422 with the faults of each field.
 */
export function readPageView(body: object): PageView {
  const { data, error } = visitBody.safeParse(body);
  if (error) throw invalid(z.flattenError(error).fieldErrors);
  const page = new URL(data.page_url);
  const utm = (name: string) => bounded(page.searchParams.get(name) ?? '', MAX_UTM_LENGTH) || null;
  return {
    pageUrl: address(page, campaignOf(page)),
    pageTitle: data.page_title ?? null,
    pageLocale: data.page_locale ?? null,
    referrer: data.referrer ? address(new URL(data.referrer)) : null,
    utmSource: utm('utm_source'),
    utmMedium: utm('utm_medium'),
    utmCampaign: utm('utm_campaign'),
    utmTerm: utm('utm_term'),
    utmContent: utm('utm_content'),
  };
}
