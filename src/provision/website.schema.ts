import { z } from 'zod';
import { MAX_STEPS, STEP_SCHEMA, stepFaults } from '../captcha/editing/step.schema.js';
import type { StepSetting } from '../captcha/step.js';
import { PLACEMENT_SCHEMA } from '../forms/placements/placement.schema.js';
import { slug, uniqueList } from '../lib/input.schema.js';
import { websiteSettings } from '../websites/website.schema.js';

const SETTING_KEYS = {
  siteKey: 'site_key',
  secret: 'secret',
  projectId: 'project_id',
  apiKey: 'api_key',
  minScore: 'min_score',
} as const satisfies Record<StepSetting, string>;

const captchaStep = z
  .strictObject({
    key: STEP_SCHEMA.key,
    site_key: STEP_SCHEMA.siteKey.nullable().default(null),
    secret: STEP_SCHEMA.secret.optional(),
    project_id: STEP_SCHEMA.projectId.nullable().default(null),
    api_key: STEP_SCHEMA.apiKey.optional(),
    min_score: STEP_SCHEMA.minScore.nullable().default(null),
  })
  .superRefine((step, context) => {
    const settings = {
      key: step.key,
      secret: step.secret,
      siteKey: step.site_key,
      projectId: step.project_id,
      apiKey: step.api_key,
      minScore: step.min_score,
    };
    for (const { setting, message } of stepFaults(settings)) {
      context.addIssue({ code: 'custom', path: [SETTING_KEYS[setting]], message });
    }
  });

const placement = z.strictObject({
  slug,
  enabled: PLACEMENT_SCHEMA.enabled,
  css_selector: PLACEMENT_SCHEMA.cssSelector,
  injection_position: PLACEMENT_SCHEMA.injectionPosition,
  html_wrapper: PLACEMENT_SCHEMA.htmlWrapper,
  appearance: PLACEMENT_SCHEMA.appearance,
  confirmation_message: PLACEMENT_SCHEMA.confirmationMessage,
  recipients: PLACEMENT_SCHEMA.recipients,
  recipient_rules: PLACEMENT_SCHEMA.recipientRules.nullable(),
});

/** A website: what is left out keeps what is stored, or takes its default when the website is new. */
export const websiteSchema = (locales: readonly string[]) => {
  const settings = websiteSettings(locales);
  return z
    .strictObject({
      id: z.guid({ error: 'must be a UUID' }).toLowerCase().optional(),
      name: settings.name.optional(),
      host: settings.host.optional(),
      url: settings.url.optional(),
      locale: settings.locale.optional(),
      time_zone: settings.timeZone.optional(),
      email: settings.email.optional(),
      company: settings.company.optional(),
      address: settings.address.optional(),
      zipcode: settings.zipcode.optional(),
      city: settings.city.optional(),
      country: settings.country.optional(),
      phone: settings.phone.optional(),
      logo: settings.logo.optional(),
      disabled: settings.disabled.optional(),
      departments: settings.departments.optional(),
      captcha: uniqueList(captchaStep, MAX_STEPS, ({ key }) => ({ key })).optional(),
      forms: uniqueList(placement, 200, ({ slug }) => ({ slug })).optional(),
    })
    .refine((website) => website.id !== undefined || website.host !== undefined, {
      error: 'needs an id or a host',
    });
};

export type WebsiteEntry = z.output<ReturnType<typeof websiteSchema>>;
export type CaptchaEntry = z.output<typeof captchaStep>;
export type PlacementEntry = z.output<typeof placement>;
