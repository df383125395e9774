import { parseAnyUrl } from '../../../src/lib/text/http-url.js';

/** The settings of a website that are text. */
export const TEXT_SETTINGS = [
  'name',
  'url',
  'host',
  'email',
  'company',
  'address',
  'zipcode',
  'city',
  'country',
  'phone',
  'logo',
] as const;
export type TextSetting = (typeof TEXT_SETTINGS)[number];

/** Settings without which there is no website. */
export const REQUIRED: readonly TextSetting[] = ['name', 'url', 'host', 'email'];

/** The settings of a website while they are edited. */
export type WebsiteDraft = Readonly<
  Record<TextSetting, string> & { locale: string; timeZone: string; departments: string[] }
>;

export const EMPTY_DRAFT: WebsiteDraft = {
  name: '',
  url: '',
  host: '',
  email: '',
  company: '',
  address: '',
  zipcode: '',
  city: '',
  country: '',
  phone: '',
  logo: '',
  locale: '',
  departments: [],
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
};

const SETTINGS = Object.keys(EMPTY_DRAFT) as (keyof WebsiteDraft)[];

/** Whether a setting, or one of the values in it, is what the path of a fault leads to. */
const isOf = (setting: string, path: string): boolean => `${path}.`.startsWith(`input.${setting}.`);

/** Says the rule that each refused setting has broken. */
export const draftFaults = (
  { fields }: Readonly<{ fields: Readonly<Record<string, unknown>> }>,
  t: (rule: `website.rule.${keyof WebsiteDraft}`) => string,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    SETTINGS.map((setting) => [
      setting,
      Object.keys(fields).some((path) => isOf(setting, path)) ? t(`website.rule.${setting}`) : undefined,
    ]),
  );

/** Returns the host of an address; empty while it is none. */
export const hostOf = (url: string): string => parseAnyUrl(url)?.host ?? '';
