import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { panelActor } from '../../auth/panel-actor.js';
import type { Policy } from '../../auth/policy.js';
import type { ViewerContext } from '../../graphql/context.js';
import type { Estimate } from '../../graphql/cost.js';
import { intId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import { retentionSettings } from './retention.schema.js';
import type { Retention, RetentionSettings } from './retention.service.js';
import { RetentionInput, RetentionPreviewType, RetentionType } from './retention.type.js';

type Services = Readonly<{ policy: Policy; retention: Retention }>;

const INPUT = { description: 'The settings.' };

const VERSION = {
  nullable: true,
  description:
    'The `version` that was read: CONFLICT when the periods have changed since. Without it, whatever is stored is replaced.',
} as const;

const fixedCost = ({ childComplexity }: Pick<Estimate, 'childComplexity'>): number => 200 + childComplexity;

@Resolver()
export class RetentionResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => RetentionType, {
    description: 'For how long the submissions of a team are kept.',
    complexity: fixedCost,
  })
  async retention(
    @Arg('teamId', () => ID, { description: 'The team.' }) teamId: string,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<RetentionType> {
    return this.shown(await this.services.policy.requireTeam(viewer, intId(teamId, 'Team'), 'read'));
  }

  @Authorized()
  @Query(() => RetentionPreviewType, {
    description: 'What settings would delete, before they are saved.',
    complexity: fixedCost,
  })
  async retentionPreview(
    @Arg('teamId', () => ID, { description: 'A team that the viewer manages.' }) teamId: string,
    @Arg('input', () => RetentionInput, INPUT) input: RetentionInput,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<RetentionPreviewType> {
    const { policy, retention } = this.services;
    const settings = this.readSettings(input);
    const id = await policy.requireTeam(viewer, intId(teamId, 'Team'), 'manage');
    return retention.preview(id, settings);
  }

  @Authorized()
  @Mutation(() => RetentionType, {
    description:
      'Sets for how long the submissions of a team are kept. The next daily run deletes what is due.',
    complexity: fixedCost,
  })
  async saveRetention(
    @Arg('teamId', () => ID, { description: 'A team that the viewer manages.' }) teamId: string,
    @Arg('input', () => RetentionInput, INPUT) input: RetentionInput,
    @Arg('version', () => String, VERSION) version: string | null,
    @Ctx() context: ViewerContext,
  ): Promise<RetentionType> {
    const settings = this.readSettings(input);
    const { policy, retention } = this.services;
    const id = await policy.requireTeam(context.viewer, intId(teamId, 'Team'), 'manage');
    await retention.save(id, settings, panelActor(context), version);
    return this.shown(id);
  }

  private async shown(teamId: number): Promise<RetentionType> {
    const { retention } = this.services;
    const [{ forms, ...stored }, latestRun] = await Promise.all([
      retention.settings(teamId),
      retention.latestRun(),
    ]);
    return { ...stored, latestRun, forms: forms.map(({ id, ...form }) => ({ ...form, formId: id })) };
  }

  /** Reads the settings. @throws 422, 404. */
  private readSettings(input: RetentionInput): RetentionSettings {
    const { retentionMonths, forms } = readInput(retentionSettings, input, 'input');
    return {
      retentionMonths,
      forms: forms.map((form) => ({ ...form, formId: intId(form.formId, 'Form') })),
    };
  }
}
