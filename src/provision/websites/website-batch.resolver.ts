import { Arg, Authorized, Ctx, ID, Int, Mutation, Resolver } from 'type-graphql';
import { z } from 'zod';
import { panelActor } from '../../auth/panel-actor.js';
import { type Policy, requireRight } from '../../auth/policy.js';
import type { Config } from '../../config.js';
import type { ViewerContext } from '../../graphql/context.js';
import { intId, uuidId } from '../../graphql/ids.js';
import { invalidInput, readInput } from '../../graphql/read-input.js';
import type { ManagedWebsites } from '../../websites/editing/managed-websites.service.js';
import { websiteSettings } from '../../websites/website.schema.js';
import { WebsiteImportType, WebsitesEditInput } from './website-batch.type.js';
import type { WebsiteEdits } from './website-edits.service.js';
import type { WebsiteImports } from './website-imports.service.js';

type Services = Readonly<{
  config: Pick<Config, 'locales'>;
  managedWebsites: ManagedWebsites;
  policy: Policy;
  websiteEdits: WebsiteEdits;
  websiteImports: WebsiteImports;
}>;

/** The most websites that are edited at once. */
const MAX_IDS = 500;

/** The most characters of an import, which a request can carry. */
const MAX_CSV = 200_000;

/** The most faults of an import that are told. */
const MAX_FAULTS = 500;

const idsSchema = z.array(z.string()).min(1).max(MAX_IDS);
const csvSchema = z.string().max(MAX_CSV);

const editSchema = (locales: readonly string[]) => {
  const { locale, departments } = websiteSettings(locales);
  return z
    .strictObject({
      locale: locale.nullish(),
      departments: departments.nullish(),
      captchaChainOf: z.string().nullish(),
      clearCaptchaChain: z.boolean().nullish(),
    })
    .refine(({ captchaChainOf, clearCaptchaChain }) => !captchaChainOf || !clearCaptchaChain, {
      path: ['clearCaptchaChain'],
      error: 'must not be together with captchaChainOf',
    });
};

@Resolver()
export class WebsiteBatchResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Mutation(() => Int, {
    description:
      'Makes the same changes to up to 500 websites, all or none; returns how many differ now. A website stays in ' +
      'its team, since its forms and submissions belong to the team as well.',
  })
  async editWebsites(
    @Arg('ids', () => [ID], { description: 'UUIDs of the websites.' }) ids: string[],
    @Arg('input', () => WebsitesEditInput, { description: 'What is to change.' }) input: WebsitesEditInput,
    @Ctx() context: ViewerContext,
  ): Promise<number> {
    const { websiteEdits, config } = this.services;
    const wanted = readInput(idsSchema, ids, 'ids');
    const { captchaChainOf, clearCaptchaChain, locale, departments } = readInput(
      editSchema(config.locales),
      input,
    );
    const sources = captchaChainOf ? [captchaChainOf] : [];
    const [websites, [source]] = await Promise.all([
      this.allowed(context, wanted),
      this.allowed(context, sources),
    ]);
    const edit = {
      locale: locale ?? undefined,
      departments: departments ?? undefined,
      chainOf: source ?? (clearCaptchaChain ? null : undefined),
    };
    const outcome = await websiteEdits.edit(websites, edit, panelActor(context));
    if ('faults' in outcome) throw invalidInput(outcome.faults);
    return outcome.changed;
  }

  @Authorized()
  @Mutation(() => WebsiteImportType, {
    description:
      'Creates websites from CSV, all or none. The headings are `name`, `host`, `url`, `locale` and `email`, and as ' +
      'wanted `time_zone`, `company`, `address`, `zipcode`, `city`, `country`, `phone`, `logo` and `departments`. ' +
      '200,000 characters and 500 websites at most, and 5,000 websites of the team with those that it has.',
  })
  async importWebsites(
    @Arg('teamId', () => ID, { description: 'The team that they are to belong to.' }) teamId: string,
    @Arg('csv', () => String, { description: 'The file.' }) csv: string,
    @Arg('dryRun', () => Boolean, { description: 'Whether it is only read, and nothing created.' })
    dryRun: boolean,
    @Ctx() context: ViewerContext,
  ): Promise<WebsiteImportType> {
    const { policy, websiteImports } = this.services;
    const id = await policy.requireTeam(context.viewer, intId(teamId, 'Team'), 'manage');
    const text = readInput(csvSchema, csv, 'csv');
    const { rows, faults, created } = dryRun
      ? await websiteImports.check(id, text)
      : await websiteImports.run(id, text, panelActor(context));
    return { rows, faults: faults.slice(0, MAX_FAULTS), faultCount: faults.length, created };
  }

  /** Returns the ids of websites that the viewer manages. @throws 404 and 403 as for one of them. */
  private async allowed({ viewer }: ViewerContext, ids: readonly string[]): Promise<string[]> {
    const wanted = ids.map((id) => uuidId(id, 'Website'));
    const found = await this.services.managedWebsites.findMany(wanted);
    for (const website of found) requireRight(viewer, website, 'read', 'Website');
    return found.map((website) => requireRight(viewer, website, 'manage', 'Website').id);
  }
}
