import { z } from 'zod';
import { formFaults } from '../forms/definition/form-faults.js';
import { readPatternsNow } from '../forms/definition/patterns.js';
import { Role } from '../generated/prisma/enums.js';
import { email, label, personName, slug, text, uniqueList } from '../lib/input.schema.js';
import { MAX_INT } from '../lib/max-int.js';
import { retentionMonths } from '../submissions/retention/retention.schema.js';
import { departmentCode } from '../websites/website.schema.js';
import { type FormEntry, formSchema } from './form.schema.js';
import { mergeForm } from './merge-form.js';
import { spamSchema } from './spam.schema.js';
import { websiteSchema } from './website.schema.js';

const count = z.int().min(0).max(MAX_INT);

const plan = z.strictObject({
  code: slug,
  name: label.optional(),
  notifications_per_month: count.nullable().optional().describe('null: unlimited'),
  submissions_per_minute: count.min(1).optional().describe('Per client IP and website'),
  submissions_per_hour: count.min(1).optional().describe('Per website'),
});

const department = z.strictObject({ code: departmentCode, name: label });

const login = email.toLowerCase();

const user = z.strictObject({
  email: login,
  name: personName.optional(),
  password: text(1000, 8)
    .nullable()
    .optional()
    .describe('12 to 200 characters; read when the user is created, and only then'),
  staff: z.boolean().optional().describe('Sees every team'),
});

const member = z.strictObject({ email: login, role: z.enum(Role) });

const team = (locales: readonly string[]) =>
  z.strictObject({
    slug,
    name: label.optional(),
    active: z.boolean().optional(),
    plan: slug.optional(),
    retention_months: retentionMonths
      .nullable()
      .optional()
      .describe("Kept so long after a person's last contact; null: for ever"),
    spam: spamSchema.optional().describe('How spam is handled'),
    members: uniqueList(member, 1000, (entry) => ({ email: entry.email })).optional(),
    forms: uniqueList(checkedForm(locales), 1000, (entry) => ({
      slug: entry.slug,
    })).optional(),
    websites: uniqueList(websiteSchema(locales), 10_000, ({ host }) => ({ host })).optional(),
  });

/**
 * Creates the schema of the provision document.
 *
 * An object with a natural key (plan, user, team, form, website) keeps omitted settings, so they are optional here;
 * entries of other lists are complete, with defaults.
 *
 * @param locales The platform's languages.
 */
export const documentSchema = (locales: readonly string[]) =>
  z
    .strictObject({
      $schema: z.string().optional(),
      departments: uniqueList(department, 10_000, ({ code }) => ({ code })).default([]),
      plans: uniqueList(plan, 1000, ({ code }) => ({ code })).default([]),
      users: uniqueList(user, 100_000, (entry) => ({ email: entry.email })).default([]),
      teams: uniqueList(team(locales), 10_000, (entry) => ({ slug: entry.slug })).default([]),
    })
    .superRefine(refuseRepeatedWebsites, { when: () => true });

export type Document = z.output<ReturnType<typeof documentSchema>>;
export type PlanEntry = z.output<typeof plan>;
export type UserEntry = z.output<typeof user>;
export type TeamEntry = z.output<ReturnType<typeof team>>;

/** A form with the checks of the form as a whole, once its fields and translations are sound. */
const checkedForm = (locales: readonly string[]) =>
  formSchema(locales).superRefine(refuseFormFaults, {
    when: ({ issues }) => !issues.some(({ path }) => path?.[0] === 'fields' || path?.[0] === 'translations'),
  });

/** Without its fields a form can only be checked together with the stored one. */
function refuseFormFaults(form: FormEntry, context: z.RefinementCtx): void {
  if (!form?.fields) return;
  const { content, faults } = mergeForm(null, form);
  for (const { path, message } of [...faults, ...formFaults(content, readPatternsNow(content.fields))]) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
}

/** Refuses the same website id twice: ids are unique across teams, so it checks the lists of all teams. */
function refuseRepeatedWebsites(
  document: { teams?: { websites?: { id?: string }[] }[] },
  context: z.RefinementCtx,
): void {
  const seen = new Set<string>();
  const teams = Array.isArray(document?.teams) ? document.teams : [];
  teams.forEach((entry, teamIndex) => {
    const websites = Array.isArray(entry?.websites) ? entry.websites : [];
    websites.forEach((website, index) => {
      const id = website?.id;
      if (typeof id !== 'string') return;
      const path = ['teams', teamIndex, 'websites', index, 'id'];
      if (seen.has(id))
        context.addIssue({ code: 'custom', path, message: 'is the id of an earlier website' });
      seen.add(id);
    });
  });
}
