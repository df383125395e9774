import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import { panelActor } from '../../auth/panel-actor.js';
import { formNotFound, notFound, websiteNotFound } from '../../errors.js';
import type { ViewerContext } from '../../graphql/context.js';
import { listCost } from '../../graphql/cost.js';
import { intId } from '../../graphql/ids.js';
import { invalidInput, readInput } from '../../graphql/read-input.js';
import type { ManagedWebsites } from '../../websites/editing/managed-websites.service.js';
import { WebsiteType } from '../../websites/editing/website.type.js';
import { requireWebsite } from '../../websites/editing/website-right.js';
import { FormType } from '../editing/form.type.js';
import type { ManagedForms } from '../editing/managed-forms.service.js';
import { placementSettings } from './placement.schema.js';
import { PlacementInput, PlacementType } from './placement.type.js';
import type { Placements } from './placements.service.js';
import { placementVersion } from './save-placements.js';

type Services = Readonly<{
  placements: Placements;
  managedForms: ManagedForms;
  managedWebsites: ManagedWebsites;
}>;

const WEBSITE = { description: 'UUID of the website.' };
const FORM = { description: 'The form, of the same team.' };
const VERSION = {
  nullable: true,
  description:
    'The `version` that was read: CONFLICT when the settings have changed since, or the form has been taken off the website. Empty: CONFLICT when the form is on the website by now. Without it, whatever is stored is replaced.',
} as const;

@Resolver(() => PlacementType)
export class PlacementsResolver {
  constructor(private readonly services: Services) {}

  @FieldResolver(() => WebsiteType, { description: 'The website.' })
  async website(@Root() { websiteId }: PlacementType, @Ctx() { load }: ViewerContext): Promise<WebsiteType> {
    const website = await load(this.services.managedWebsites.findMany, websiteId);
    if (!website) throw websiteNotFound();
    return website;
  }

  @FieldResolver(() => FormType, { description: 'The form.' })
  async form(@Root() { formId }: PlacementType, @Ctx() { load }: ViewerContext): Promise<FormType> {
    const form = await load(this.services.managedForms.findMany, formId);
    if (!form) throw formNotFound();
    return form;
  }

  @FieldResolver(() => String, {
    description: 'Version of the settings, which every change of them changes; for `saveFormLink`.',
  })
  version(@Root() placement: PlacementType): string {
    return placementVersion(placement);
  }

  @Authorized()
  @Mutation(() => PlacementType, {
    description:
      'Puts a form on a website, or changes how it stands there; what is left out takes its default.',
  })
  async saveFormLink(
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string,
    @Arg('formId', () => ID, FORM) formId: string,
    @Arg('input', () => PlacementInput, { description: 'The settings.' }) input: PlacementInput,
    @Arg('version', () => String, VERSION) version: string | null,
    @Ctx() context: ViewerContext,
  ): Promise<PlacementType> {
    const website = await requireWebsite(this.services.managedWebsites, context.viewer, websiteId, 'manage');
    const form = await this.services.managedForms.find(intId(formId, 'Form'));
    if (form?.teamId !== website.teamId) throw formNotFound();
    const { recipients, ...settings } = readInput(placementSettings, input);
    const faults = await this.services.placements.ruleFaults(form.id, settings.recipientRules);
    if (faults.length > 0) {
      throw invalidInput(faults.map(({ path, message }) => ({ path: ['recipientRules', ...path], message })));
    }
    const placement = { ...settings, formId: form.id, recipients: recipients ?? [] };
    const saved = await this.services.placements.save(
      website,
      placement,
      panelActor(context),
      version ?? null,
    );
    if (!saved) throw notFound('Form or website not found.');
    return saved;
  }

  @Authorized()
  @Mutation(() => Boolean, { description: 'Takes a form off a website; false when it was not on it.' })
  async removeFormLink(
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string,
    @Arg('formId', () => ID, FORM) formId: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const website = await requireWebsite(this.services.managedWebsites, context.viewer, websiteId, 'manage');
    return this.services.placements.remove(website, intId(formId, 'Form'), panelActor(context));
  }
}

@Resolver(() => WebsiteType)
export class WebsitePlacementsResolver {
  constructor(private readonly services: Pick<Services, 'placements'>) {}

  @FieldResolver(() => [PlacementType], { description: 'The forms on it.', complexity: listCost(10) })
  formLinks(@Root() { id }: WebsiteType, @Ctx() { load }: ViewerContext): Promise<PlacementType[]> {
    return load(this.services.placements.ofWebsites, id);
  }
}

@Resolver(() => FormType)
export class FormPlacementsResolver {
  constructor(private readonly services: Pick<Services, 'placements'>) {}

  @FieldResolver(() => [PlacementType], {
    description: 'The websites that it is on.',
    complexity: listCost(10),
  })
  links(@Root() { id }: FormType, @Ctx() { load }: ViewerContext): Promise<PlacementType[]> {
    return load(this.services.placements.ofForms, id);
  }
}
