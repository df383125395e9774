/** Bare languages whose formats Intl takes from another continent: dates as in 12/31/2026, and times with AM. */
const EUROPEAN: Readonly<Record<string, string>> = { en: 'en-GB', pt: 'pt-PT' };

/** Returns the locale for dates, times and numbers: a language without a region as it is written in Europe. */
export const regionalLocale = (locale: string): string =>
  Object.hasOwn(EUROPEAN, locale) ? EUROPEAN[locale]! : locale;
