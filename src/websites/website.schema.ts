import { z } from 'zod';
import { email, httpUrl, label, platformLocale, text, timeZone, uniqueTexts } from '../lib/input.schema.js';
import { host, isHostOfPages, NO_HOST_OF_PAGES } from './host.js';

/** Schema of a department code: capital letters only, since a path may name a code in either case. */
export const departmentCode = z
  .string()
  .regex(/^[0-9A-Z]{1,16}$/, { error: 'must be 1 to 16 digits and capital letters' });

/**
 * Creates the schemas of a website's settings, shared by every way of setting them.
 *
 * @param locales the platform's languages
 */
export const websiteSettings = (locales: readonly string[]) => ({
  name: label,
  host,
  url: httpUrl,
  locale: platformLocale(locales),
  timeZone,
  email,
  company: text(255),
  address: text(500),
  zipcode: text(20),
  city: text(255),
  country: text(255),
  phone: text(50),
  logo: z.union([z.literal(''), httpUrl], { error: 'must be an http or https address' }),
  disabled: z.boolean(),
  departments: uniqueTexts(departmentCode, 500),
});

/** Schema of changes to a website: a setting that is left out stays unchanged. */
export const websiteChanges = (locales: readonly string[]) =>
  z.strictObject(websiteSettings(locales)).partial();

/** Schema of a new website: a setting that is left out takes its default. */
export const newWebsite = (locales: readonly string[]) =>
  websiteChanges(locales)
    .required({ name: true, host: true, url: true, locale: true, email: true })
    .extend({ host: host.refine(isHostOfPages, { error: NO_HOST_OF_PAGES }) });
