import { z } from 'zod';
import { invalid } from '../errors.js';
import { firstCharacters } from '../lib/characters.js';
import { httpUrlOrNull } from '../lib/http-url.js';
import { storableText } from '../lib/storable-text.js';

const MAX_URL_LENGTH = 4096;
const MAX_TITLE_LENGTH = 1000;
const MAX_LOCALE_LENGTH = 35;
const MAX_UTM_LENGTH = 255;

const isHttpUrl = (text: string) => httpUrlOrNull(text) !== null;

/** What a page says of itself is cut or left out rather than refused: the visit counts all the same. */
const pageTitle = z
  .string()
  .transform((title) => storableText(firstCharacters(title, MAX_TITLE_LENGTH)) || null)
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
    .transform((url) => firstCharacters(url, MAX_URL_LENGTH))
    .refine(isHttpUrl, { error: 'Must be an http or https address.' })
    .transform(storableText),
  page_title: pageTitle,
  page_locale: pageLocale,
  // Not of the visitor's making: one that is of no use is no error.
  referrer: z.string().max(MAX_URL_LENGTH).refine(isHttpUrl).transform(storableText).nullish().catch(null),
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

/**
 * Reads the body of a visit: `page_url`, and optionally `page_title`, `referrer` and `page_locale`. Anything
 * else in it is ignored.
 *
 * @throws 422 with the faults of each field.
 */
export function readPageView(body: object): PageView {
  const { data, error } = visitBody.safeParse(body);
  if (error) throw invalid(z.flattenError(error).fieldErrors);
  const { searchParams } = new URL(data.page_url);
  const utm = (name: string) =>
    storableText(firstCharacters(searchParams.get(name) ?? '', MAX_UTM_LENGTH)) || null;
  return {
    pageUrl: data.page_url,
    pageTitle: data.page_title ?? null,
    pageLocale: data.page_locale ?? null,
    referrer: data.referrer ?? null,
    utmSource: utm('utm_source'),
    utmMedium: utm('utm_medium'),
    utmCampaign: utm('utm_campaign'),
    utmTerm: utm('utm_term'),
    utmContent: utm('utm_content'),
  };
}
