import { setImmediate as nextTurn } from 'node:timers/promises';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Authorized, Ctx, ID, Query, Resolver } from 'type-graphql';
import { requireRight } from '../../auth/policy.js';
import type { Config } from '../../config.js';
import { formNotFound, notFound } from '../../errors.js';
import { storedRules } from '../../forms/definition/form.mapper.js';
import { FormInput } from '../../forms/editing/form-input.type.js';
import type { ManagedForms } from '../../forms/editing/managed-forms.service.js';
import { type FormDraft, readFormInput } from '../../forms/editing/read-form-input.js';
import { placementSettings } from '../../forms/placements/placement.schema.js';
import { PlacementInput } from '../../forms/placements/placement.type.js';
import type { Placements } from '../../forms/placements/placements.service.js';
import { recipientRuleFaults } from '../../forms/recipients/rule-faults.js';
import { type PlacementConfig, previewDefinition } from '../../forms/serving/form-config.js';
import type { Placement } from '../../generated/prisma/client.js';
import type { ViewerContext } from '../../graphql/context.js';
import { intId, uuidId } from '../../graphql/ids.js';
import { invalidInput, readInput } from '../../graphql/read-input.js';
import { type Limiter, requirePassing } from '../../http/limits/rate-limit.js';
import type { Clock } from '../../lib/clock.js';
import { createSemaphore } from '../../lib/semaphore.js';
import type { ManagedWebsites } from '../../websites/editing/managed-websites.service.js';
import { TestSubmissionType } from './preview.type.js';
import { type PreviewWebsite, testSubmission } from './test-submission.js';

type Services = Readonly<{
  managedForms: ManagedForms;
  managedWebsites: ManagedWebsites;
  placements: Placements;
  config: Pick<Config, 'locales'>;
  clock: Clock;
  limiter: Pick<Limiter, 'consume'>;
}>;

const FORM = { description: 'The form that is edited.' };
const INPUT = { nullable: true, description: 'The form as it would be saved; null: as it is.' };
const WEBSITE = {
  nullable: true,
  description: 'A website that carries the form, by its UUID; null: one whose placement sets nothing.',
};

const PLACEMENT = {
  nullable: true,
  description: 'How the form would stand on the website, were that saved; null: as it does.',
};

/** Cost of reading a whole form. */
const COST = 200;

/** Cost of a test: its patterns and conditions may take a third of the time that a request may hold others up. */
const TEST_COST = 2_000;

/** What is edited of a form; null: nothing, it is as it is saved. */
type Edited = Readonly<{
  input: FormInput | null;
  websiteId: string | null;
  placement: PlacementInput | null;
}>;

type PlacedWebsite = PreviewWebsite & { placement: Pick<Placement, keyof PlacementConfig> };
type Preview = Readonly<{ draft: FormDraft; place: PlacedWebsite | null }>;

/** What is stored; `draft` is null where an input takes its place. */
type Stored = Readonly<{ slug: string; draft: FormDraft | null; place: PlacedWebsite | null }>;

@Resolver()
export class PreviewResolver {
  /** Works out one preview after the other, with other requests in between: one operation may ask for several. */
  private readonly inTurn = createSemaphore(1);

  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => GraphQLJSONObject, {
    description: 'The definition that a visitor would get of a form from `forms/config`, were it saved.',
    complexity: COST,
  })
  async previewForm(
    @Arg('id', () => ID, FORM) id: string,
    @Arg('input', () => FormInput, INPUT) input: FormInput | null,
    @Arg('locale', () => String, { description: 'The requested language.' }) locale: string,
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string | null,
    @Arg('placement', () => PlacementInput, PLACEMENT) placement: PlacementInput | null,
    @Ctx() context: ViewerContext,
  ): Promise<object> {
    const stored = await this.read(context, id, { input, websiteId });
    return this.inTurn(async () => {
      const { draft, place } = await this.preview(stored, { input, placement });
      return previewDefinition(draft.content, locale, {
        place,
        platformLocales: this.services.config.locales,
      });
    });
  }

  @Authorized()
  @Query(() => TestSubmissionType, {
    description:
      'Validates a submission as the gateway would, were the form saved. Nothing is recorded, counted or sent. ' +
      '60 times a minute for each account.',
    complexity: TEST_COST,
  })
  async testSubmission(
    @Arg('id', () => ID, FORM) id: string,
    @Arg('input', () => FormInput, INPUT) input: FormInput | null,
    @Arg('body', () => GraphQLJSONObject, {
      description: 'The body of the submission: fields, and `form_locale` for the language of the answer.',
    })
    body: Record<string, unknown>,
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string | null,
    @Arg('placement', () => PlacementInput, PLACEMENT) placement: PlacementInput | null,
    @Ctx() context: ViewerContext,
  ): Promise<TestSubmissionType> {
    const { config, clock, limiter } = this.services;
    requirePassing(await limiter.consume({ limit: 'test-submissions', key: String(context.viewer.userId) }));
    const stored = await this.read(context, id, { input, websiteId });
    return this.inTurn(async () => {
      const { draft, place } = await this.preview(stored, { input, placement });
      return testSubmission(draft, body, { place, platformLocales: config.locales, now: clock() });
    });
  }

  private async read(
    { viewer }: ViewerContext,
    id: string,
    { input, websiteId }: Pick<Edited, 'input' | 'websiteId'>,
  ): Promise<Stored> {
    const { managedForms } = this.services;
    const { id: formId, slug } = requireRight(
      viewer,
      await managedForms.find(intId(id, 'Form')),
      'read',
      'Form',
    );
    const place = websiteId == null ? null : await this.place(formId, uuidId(websiteId, 'Website'));
    return { slug, place, draft: input ? null : await managedForms.storedDraft(formId) };
  }

  private async preview(
    { slug, draft: stored, place }: Stored,
    { input, placement }: Pick<Edited, 'input' | 'placement'>,
  ): Promise<Preview> {
    await nextTurn();
    const draft = input ? await readFormInput(slug, input, this.services.config.locales) : stored;
    if (!draft) throw formNotFound();
    return { draft, place: place && placement ? edited(place, placement, draft) : place };
  }

  /** Finds a website that carries the form, which is of the form's team. */
  private async place(formId: number, websiteId: string): Promise<PlacedWebsite> {
    const { placements, managedWebsites } = this.services;
    const [ofForm = []] = await placements.ofForms([formId]);
    const placement = ofForm.find((each) => each.websiteId === websiteId);
    const website = placement && (await managedWebsites.find(websiteId));
    if (!website) throw notFound('The form is not on this website.');
    return { website, placement: { ...placement, recipientRules: storedRules(placement.recipientRules) } };
  }
}

/** Returns a place with other settings. @throws 422 that names the faulty ones. */
function edited(
  { website, placement }: PlacedWebsite,
  input: PlacementInput,
  { content }: FormDraft,
): PlacedWebsite {
  const { recipients, ...settings } = readInput(placementSettings, input, 'placement');
  const faults = recipientRuleFaults(settings.recipientRules, content.fields);
  if (faults.length > 0) {
    const ofRules = faults.map(({ path, message }) => ({ path: ['recipientRules', ...path], message }));
    throw invalidInput(ofRules, 'placement');
  }
  return { website, placement: { formId: placement.formId, ...settings, recipients: recipients ?? [] } };
}
