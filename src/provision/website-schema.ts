import { z } from 'zod';
import { LINK_SETTINGS, type LinkSetting, parseLinkKey } from '../captcha/link.js';
import { isPlainStyle, isPlainWrapper } from '../forms/link-markup.js';
import { InjectionPosition } from '../generated/prisma/enums.js';
import {
  email,
  host,
  httpUrl,
  label,
  platformLocale,
  slug,
  text,
  timeZone,
  uniqueList,
  uniqueTexts,
} from './values.js';

/** Capital letters only, since a path names a code in either case. */
export const departmentCode = z
  .string()
  .regex(/^[0-9A-Z]{1,16}$/, { error: 'must be 1 to 16 digits and capital letters' });

const SETTING_KEYS = {
  siteKey: 'site_key',
  secret: 'secret',
  projectId: 'project_id',
  apiKey: 'api_key',
  minScore: 'min_score',
} as const satisfies Record<LinkSetting, string>;

/** Left out, a secret that is already stored stays; `applyDocument` asks for it when the link is new. */
const SECRETS: readonly LinkSetting[] = ['secret', 'apiKey'];

const captchaLink = z
  .strictObject({
    key: z.string().refine((key) => parseLinkKey(key) !== null, {
      error: `must be altcha, or type:identifier with a type among ${Object.keys(LINK_SETTINGS).join(', ')}`,
    }),
    site_key: text(500, 1).nullable().default(null),
    secret: text(1000, 1).optional(),
    project_id: text(255, 1).nullable().default(null),
    api_key: text(1000, 1).optional(),
    min_score: z.number().min(0).max(1).nullable().default(null),
  })
  .superRefine((link, context) => {
    const type = parseLinkKey(link.key)?.type;
    if (!type) return;
    const { required, optional } = LINK_SETTINGS[type];
    for (const [setting, key] of Object.entries(SETTING_KEYS) as [LinkSetting, keyof typeof link][]) {
      const present = link[key] !== null && link[key] !== undefined;
      if (present && !required.includes(setting) && !optional.includes(setting)) {
        context.addIssue({ code: 'custom', path: [key], message: `is not a setting of ${type}` });
      }
      if (!present && required.includes(setting) && !SECRETS.includes(setting)) {
        context.addIssue({ code: 'custom', path: [key], message: `is required for ${type}` });
      }
    }
  });

const formLink = z.strictObject({
  slug,
  enabled: z.boolean().default(true),
  css_selector: text(500, 1).nullable().default(null),
  injection_position: z.enum(InjectionPosition).default('inside'),
  html_wrapper: text(10_000, 1)
    .refine(isPlainWrapper, {
      error: 'may hold grouping elements with class, id, role, title, lang, dir, aria-* and data-* only',
    })
    .nullable()
    .default(null),
  appearance: z
    .record(
      z
        .string()
        .max(100)
        .regex(/^--[\w-]+$/, { error: 'must start with --' }),
      text(1000).refine(isPlainStyle, { error: 'must be one plain value; addresses http or https' }),
    )
    .default({}),
  confirmation_message: text(5000, 1).nullable().default(null),
  recipients: z.array(email).max(50).nullable().default([]),
});

/** A website: what is left out keeps what is stored, or takes its default when the website is new. */
export const websiteSchema = (locales: readonly string[]) =>
  z
    .strictObject({
      id: z.guid({ error: 'must be a UUID' }).toLowerCase().optional(),
      name: label.optional(),
      host: host.optional(),
      url: httpUrl.optional(),
      locale: platformLocale(locales).optional(),
      time_zone: timeZone.optional(),
      email: email.optional(),
      company: text(255).optional(),
      address: text(500).optional(),
      zipcode: text(20).optional(),
      city: text(255).optional(),
      country: text(255).optional(),
      phone: text(50).optional(),
      logo: z.union([z.literal(''), httpUrl], { error: 'must be an http or https address' }).optional(),
      disabled: z.boolean().optional(),
      departments: uniqueTexts(departmentCode, 500).optional(),
      captcha: uniqueList(captchaLink, 20, ({ key }) => ({ key })).optional(),
      forms: uniqueList(formLink, 200, ({ slug }) => ({ slug })).optional(),
    })
    .refine((website) => website.id !== undefined || website.host !== undefined, {
      error: 'needs an id or a host',
    });

export type WebsiteEntry = z.output<ReturnType<typeof websiteSchema>>;
export type CaptchaEntry = z.output<typeof captchaLink>;
export type LinkEntry = z.output<typeof formLink>;
