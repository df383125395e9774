import {
  Arg,
  Args,
  Authorized,
  Ctx,
  FieldResolver,
  ID,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { panelActor } from '../auth/panel-actor.js';
import { type Policy, requireRight } from '../auth/policy.js';
import { notFound } from '../errors.js';
import { FormType } from '../forms/editing/form.type.js';
import { type SpamFilter, SpamRuleKind } from '../generated/prisma/enums.js';
import { type Connection, PageArgs, readPage, toConnection } from '../graphql/connection.js';
import type { PanelContext, ViewerContext } from '../graphql/context.js';
import { pageCost } from '../graphql/cost.js';
import { intId, uuidId } from '../graphql/ids.js';
import { readInput } from '../graphql/read-input.js';
import { given } from '../lib/changes.js';
import { ruleValue } from './rules/spam-rule.schema.js';
import type { SpamRules } from './rules/spam-rules.service.js';
import { spamSettings, spamThreshold } from './settings/spam-settings.schema.js';
import type { SpamSettingsStore } from './settings/spam-settings.service.js';
import {
  FilterName,
  SpamEffectType,
  SpamRuleConnection,
  SpamRuleType,
  SpamSettingsType,
  SpamTrainingType,
  UpdateSpamSettingsInput,
} from './spam.type.js';
import type { Teaching } from './teaching/teaching.service.js';

type Services = Readonly<{
  policy: Policy;
  spamSettings: SpamSettingsStore;
  spamRules: SpamRules;
  teaching: Pick<Teaching, 'training'>;
}>;

const TEAM = { description: 'The team.' };

@Resolver(() => FormType)
export class SpamResolver {
  constructor(private readonly services: Services) {}

  @FieldResolver(() => FilterName, {
    nullable: true,
    description: 'What happens to its submissions that look like spam; null: as its team has set it.',
  })
  spamFilter(@Root() { id }: FormType, @Ctx() { load }: PanelContext): Promise<SpamFilter | null> {
    return load(this.services.spamSettings.formFilters, id);
  }

  @Authorized()
  @Query(() => SpamSettingsType, { description: 'How a team wants spam to be handled.' })
  async spamSettings(
    @Arg('teamId', () => ID, TEAM) teamId: string,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<SpamSettingsType> {
    const id = await this.services.policy.requireTeam(viewer, intId(teamId, 'Team'), 'read');
    return this.services.spamSettings.find(id);
  }

  @Authorized()
  @Mutation(() => SpamSettingsType, { description: 'Changes how a team wants spam to be handled.' })
  async updateSpamSettings(
    @Arg('teamId', () => ID, TEAM) teamId: string,
    @Arg('input', () => UpdateSpamSettingsInput, { description: 'The changes.' })
    input: UpdateSpamSettingsInput,
    @Ctx() context: ViewerContext,
  ): Promise<SpamSettingsType> {
    const id = intId(teamId, 'Team');
    const changes = given(readInput(spamSettings, given(input)));
    await this.services.policy.requireTeam(context.viewer, id, 'manage');
    return this.services.spamSettings.update(id, changes, panelActor(context));
  }

  @Authorized()
  @Mutation(() => FormType, { description: 'Gives a form a spam filter of its own.' })
  async setFormSpamFilter(
    @Arg('formId', () => ID, { description: 'The form.' }) formId: string,
    @Arg('filter', () => FilterName, { nullable: true, description: 'The filter; null: that of its team.' })
    filter: SpamFilter | null,
    @Ctx() context: ViewerContext,
  ): Promise<FormType> {
    const { spamSettings: store } = this.services;
    const id = intId(formId, 'Form');
    requireRight(context.viewer, await store.findForm(id), 'manage', 'Form');
    return store.setFormFilter(id, filter, panelActor(context));
  }

  @Authorized()
  @Query(() => SpamEffectType, {
    description: "What a threshold would have done to a team's submissions of the last thirty days.",
    complexity: 50,
  })
  async spamEffect(
    @Arg('teamId', () => ID, TEAM) teamId: string,
    @Arg('threshold', () => Int, { description: 'Points from which a submission is spam: 50 to 300.' })
    threshold: number,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<SpamEffectType> {
    const id = intId(teamId, 'Team');
    const read = readInput(spamThreshold, threshold, 'threshold');
    await this.services.policy.requireTeam(viewer, id, 'read');
    return this.services.spamSettings.effect(id, read);
  }

  @Authorized('staff')
  @Query(() => SpamTrainingType, { description: 'How far the classifier of the installation is trained.' })
  spamTraining(): Promise<SpamTrainingType> {
    return this.services.teaching.training();
  }

  @Authorized()
  @Query(() => SpamRuleConnection, {
    description: 'What a team has decided about senders and words, the oldest first.',
    complexity: pageCost,
  })
  async spamRules(
    @Arg('teamId', () => ID, TEAM) teamId: string,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<Connection<SpamRuleType>> {
    const id = intId(teamId, 'Team');
    const page = readPage(args, ['uuid']);
    await this.services.policy.requireTeam(viewer, id, 'read');
    return toConnection(
      await this.services.spamRules.list(id, page),
      page,
      (rule) => [rule.id],
      (rule) => rule,
    );
  }

  @Authorized()
  @Mutation(() => SpamRuleType, {
    description:
      'Blocks a sender, a domain or words for a team, or never judges a sender. A domain of free mail is not blocked. ' +
      'CONFLICT beyond 500 rules.',
  })
  async addSpamRule(
    @Arg('teamId', () => ID, TEAM) teamId: string,
    @Arg('kind', () => SpamRuleKind, { description: 'What the rule does.' }) kind: SpamRuleKind,
    @Arg('value', () => String, { description: 'The address, domain or words, in any case.' }) value: string,
    @Ctx() context: ViewerContext,
  ): Promise<SpamRuleType> {
    const id = intId(teamId, 'Team');
    const read = readInput(ruleValue(kind), value, 'value');
    await this.services.policy.requireTeam(context.viewer, id, 'manage');
    return this.services.spamRules.add(id, kind, read, panelActor(context));
  }

  @Authorized()
  @Mutation(() => Boolean, { description: 'Deletes a rule about spam.' })
  async deleteSpamRule(
    @Arg('id', () => ID, { description: 'The rule.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const { spamRules } = this.services;
    const rule = requireRight(
      context.viewer,
      await spamRules.find(uuidId(id, 'Spam rule')),
      'manage',
      'Spam rule',
    );
    if (!(await spamRules.delete(rule, panelActor(context)))) throw notFound('Spam rule not found.');
    return true;
  }
}
