import { queryOptions } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useIntl } from 'react-intl';
import { graphql, request } from '../../../graphql.js';

const PLATFORM = graphql(`
  query platformLocales {
    installation {
      locales
    }
  }
`);

/** The languages of the platform, which do not change while it runs. */
export const platformLocales = queryOptions({
  queryKey: ['platformLocales'],
  queryFn: async ({ signal }) => (await request(PLATFORM, {}, signal)).installation.locales,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Returns the function that names a language in that of the panel. */
export function useLanguageName(): (locale: string) => string {
  const { formatDisplayName } = useIntl();
  return useCallback(
    (locale) => formatDisplayName(locale, { type: 'language' }) ?? locale,
    [formatDisplayName],
  );
}

const RIGHT_TO_LEFT = ['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'syr', 'ug', 'ur', 'yi'];

/** Returns the attributes of an element whose text is in a language. */
export const spokenIn = (locale: string): Readonly<{ lang: string; dir: 'ltr' | 'rtl' }> => ({
  lang: locale,
  dir: RIGHT_TO_LEFT.includes(locale) ? 'rtl' : 'ltr',
});
