import { z } from 'zod';
import { email, httpUrl, label, platformLocale, text, timeZone, uniqueTexts } from '../lib/schemas.js';
import { host } from './host.js';

/** Capital letters only, since a path names a code in either case. */
export const departmentCode = z
  .string()
  .regex(/^[0-9A-Z]{1,16}$/, { error: 'must be 1 to 16 digits and capital letters' });

/**
 * What the settings of a website may be, whoever sets them.
 *
 * @param locales the platform's languages
 */
export const websiteValues = (locales: readonly string[]) => ({
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

/** Changes to a website: what is left out stays. */
export const websiteChanges = (locales: readonly string[]) =>
  z.strictObject(websiteValues(locales)).partial();

/** A new website: what is left out takes its default. */
export const newWebsite = (locales: readonly string[]) =>
  websiteChanges(locales).required({ name: true, host: true, url: true, locale: true, email: true });
