import { z } from 'zod';
import type { LinkSetting } from '../captcha/step.js';
import { LINK_VALUES, linkFaults, MAX_LINKS } from '../captcha/step.schema.js';
import { PLACEMENT_SCHEMA } from '../forms/placements/placement.schema.js';
import { slug, uniqueList } from '../lib/schemas.js';
import { websiteValues } from '../websites/website.schema.js';

const SETTING_KEYS = {
  siteKey: 'site_key',
  secret: 'secret',
  projectId: 'project_id',
  apiKey: 'api_key',
  minScore: 'min_score',
} as const satisfies Record<LinkSetting, string>;

const captchaLink = z
  .strictObject({
    key: LINK_VALUES.key,
    site_key: LINK_VALUES.siteKey.nullable().default(null),
    secret: LINK_VALUES.secret.optional(),
    project_id: LINK_VALUES.projectId.nullable().default(null),
    api_key: LINK_VALUES.apiKey.optional(),
    min_score: LINK_VALUES.minScore.nullable().default(null),
  })
  .superRefine(({ key, secret, ...link }, context) => {
    const settings = {
      ...{ key, secret, siteKey: link.site_key, projectId: link.project_id },
      ...{ apiKey: link.api_key, minScore: link.min_score },
    };
    for (const { setting, message } of linkFaults(settings)) {
      context.addIssue({ code: 'custom', path: [SETTING_KEYS[setting]], message });
    }
  });

const formLink = z.strictObject({
  slug,
  enabled: PLACEMENT_SCHEMA.enabled,
  css_selector: PLACEMENT_SCHEMA.cssSelector,
  injection_position: PLACEMENT_SCHEMA.injectionPosition,
  html_wrapper: PLACEMENT_SCHEMA.htmlWrapper,
  appearance: PLACEMENT_SCHEMA.appearance,
  confirmation_message: PLACEMENT_SCHEMA.confirmationMessage,
  recipients: PLACEMENT_SCHEMA.recipients,
});

/** A website: what is left out keeps what is stored, or takes its default when the website is new. */
export const websiteSchema = (locales: readonly string[]) => {
  const values = websiteValues(locales);
  return z
    .strictObject({
      id: z.guid({ error: 'must be a UUID' }).toLowerCase().optional(),
      name: values.name.optional(),
      host: values.host.optional(),
      url: values.url.optional(),
      locale: values.locale.optional(),
      time_zone: values.timeZone.optional(),
      email: values.email.optional(),
      company: values.company.optional(),
      address: values.address.optional(),
      zipcode: values.zipcode.optional(),
      city: values.city.optional(),
      country: values.country.optional(),
      phone: values.phone.optional(),
      logo: values.logo.optional(),
      disabled: values.disabled.optional(),
      departments: values.departments.optional(),
      captcha: uniqueList(captchaLink, MAX_LINKS, ({ key }) => ({ key })).optional(),
      forms: uniqueList(formLink, 200, ({ slug }) => ({ slug })).optional(),
    })
    .refine((website) => website.id !== undefined || website.host !== undefined, {
      error: 'needs an id or a host',
    });
};

export type WebsiteEntry = z.output<ReturnType<typeof websiteSchema>>;
export type CaptchaEntry = z.output<typeof captchaLink>;
export type LinkEntry = z.output<typeof formLink>;
