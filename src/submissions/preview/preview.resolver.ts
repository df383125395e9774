import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Authorized, Ctx, ID, Query, Resolver } from 'type-graphql';
import { requireRight } from '../../auth/policy.js';
import type { Config } from '../../config.js';
import { notFound } from '../../errors.js';
import { FormInput } from '../../forms/editing/form-input.type.js';
import type { ManagedForms } from '../../forms/editing/managed-forms.service.js';
import { type FormDraft, readFormInput } from '../../forms/editing/read-form-input.js';
import type { Placements } from '../../forms/placements/placements.service.js';
import { previewDefinition } from '../../forms/serving/form-config.js';
import type { Placement } from '../../generated/prisma/client.js';
import type { ViewerContext } from '../../graphql/context.js';
import { intId, uuidId } from '../../graphql/ids.js';
import type { Clock } from '../../lib/clock.js';
import type { ManagedWebsites } from '../../websites/editing/managed-websites.service.js';
import { TestSubmissionType } from './preview.type.js';
import { type PreviewPlace, testSubmission } from './test-submission.js';

type Services = Readonly<{
  managedForms: ManagedForms;
  managedWebsites: ManagedWebsites;
  placements: Placements;
  config: Pick<Config, 'locales'>;
  clock: Clock;
}>;

const FORM = { description: 'The form that is edited.' };
const INPUT = { description: 'The form as it would be saved.' };
const WEBSITE = {
  nullable: true,
  description: 'A website that carries the form, by its UUID; null: one whose placement sets nothing.',
};

/** Cost of reading a whole form. */
const COST = 200;

type Preview = Readonly<{ draft: FormDraft; place: (PreviewPlace & { placement: Placement }) | null }>;

@Resolver()
export class PreviewResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => GraphQLJSONObject, {
    description: 'The definition that a visitor would get of a form from `forms/config`, were it saved.',
    complexity: COST,
  })
  async previewForm(
    @Arg('id', () => ID, FORM) id: string,
    @Arg('input', () => FormInput, INPUT) input: FormInput,
    @Arg('locale', () => String, { description: 'The requested language.' }) locale: string,
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string | null,
    @Ctx() context: ViewerContext,
  ): Promise<object> {
    const { draft, place } = await this.read(context, id, input, websiteId ?? null);
    return previewDefinition(draft.content, locale, { place, platformLocales: this.services.config.locales });
  }

  @Authorized()
  @Query(() => TestSubmissionType, {
    description:
      'Validates a submission as the gateway would, were the form saved. Nothing is recorded, counted or sent.',
    complexity: COST,
  })
  async testSubmission(
    @Arg('id', () => ID, FORM) id: string,
    @Arg('input', () => FormInput, INPUT) input: FormInput,
    @Arg('body', () => GraphQLJSONObject, {
      description: 'The body of the submission: fields, and `form_locale` for the language of the answer.',
    })
    body: Record<string, unknown>,
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string | null,
    @Ctx() context: ViewerContext,
  ): Promise<TestSubmissionType> {
    const { draft, place } = await this.read(context, id, input, websiteId ?? null);
    const { config, clock } = this.services;
    return testSubmission(draft, body, { place, platformLocales: config.locales, now: clock() });
  }

  private async read(
    { viewer }: ViewerContext,
    id: string,
    input: FormInput,
    websiteId: string | null,
  ): Promise<Preview> {
    const { managedForms, config } = this.services;
    const form = requireRight(viewer, await managedForms.find(intId(id, 'Form')), 'read', 'Form');
    const place = websiteId === null ? null : await this.place(form.id, uuidId(websiteId, 'Website'));
    return { draft: await readFormInput(form.slug, input, config.locales), place };
  }

  /** Finds a website that carries the form, which is of the form's team. */
  private async place(formId: number, websiteId: string): Promise<NonNullable<Preview['place']>> {
    const { placements, managedWebsites } = this.services;
    const [ofForm = []] = await placements.ofForms([formId]);
    const placement = ofForm.find((each) => each.websiteId === websiteId);
    const website = placement && (await managedWebsites.find(websiteId));
    if (!website) throw notFound('The form is not on this website.');
    return { website, placement };
  }
}
