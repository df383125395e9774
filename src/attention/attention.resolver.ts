import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { z } from 'zod';
import { panelActor } from '../auth/panel-actor.js';
import type { Policy } from '../auth/policy.js';
import { websiteNotFound } from '../errors.js';
import { FormType } from '../forms/editing/form.type.js';
import type { ManagedForms } from '../forms/editing/managed-forms.service.js';
import { PanelLanguage } from '../generated/prisma/enums.js';
import { type Connection, PageArgs, readPage, toConnection } from '../graphql/connection.js';
import type { ViewerContext } from '../graphql/context.js';
import { listCost, pageCost } from '../graphql/cost.js';
import { intId } from '../graphql/ids.js';
import { readInput } from '../graphql/read-input.js';
import type { Clock } from '../lib/clock.js';
import { DAY_MS, MAX_PERIOD_DAYS } from '../lib/durations.js';
import { text } from '../lib/input.schema.js';
import { TeamType } from '../teams/team.type.js';
import type { Teams } from '../teams/teams.service.js';
import type { ManagedWebsites } from '../websites/editing/managed-websites.service.js';
import { WebsiteType } from '../websites/editing/website.type.js';
import { requireWebsite } from '../websites/editing/website-right.js';
import type { Attention } from './attention.service.js';
import {
  AttentionConnection,
  AttentionItemType,
  AttentionKindType,
  attentionNode,
  SetAsideType,
  TodayType,
} from './attention.type.js';
import { summarize } from './attention.words.js';
import { type AttentionKind, sortKey } from './attention-item.js';
import type { ListedSetAside, SetAsides } from './set-asides.service.js';

type Services = Readonly<{
  attention: Attention;
  setAsides: SetAsides;
  policy: Policy;
  managedWebsites: Pick<ManagedWebsites, 'find' | 'findMany'>;
  managedForms: Pick<ManagedForms, 'findMany'>;
  teams: Pick<Teams, 'byIds'>;
  clock: Clock;
}>;

const expectation = (now: Date) =>
  z.object({
    until: z
      .date()
      .refine((until) => until > now, { error: 'must be in the future' })
      .refine((until) => until.getTime() - now.getTime() <= MAX_PERIOD_DAYS * DAY_MS, {
        error: `must be within ${MAX_PERIOD_DAYS} days`,
      }),
    reason: text(500),
  });

const TEAM = {
  nullable: true,
  description: 'Only of this team; else of every team that the viewer sees.',
} as const;
const WEBSITE = { description: 'UUID of the website.' };
const KIND = { description: 'The kind of the items.' };

const setAsideOf = (entry: ListedSetAside): SetAsideType => ({
  ...entry,
  kind: entry.kind as AttentionKind,
});

@Resolver(() => AttentionItemType)
export class AttentionResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => AttentionConnection, {
    description:
      'What needs attention, the most urgent first, of equally urgent items the latest. An item goes when it is ' +
      'mended, within a minute, or is set aside.',
    complexity: pageCost,
  })
  async attention(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('teamId', () => ID, TEAM) teamId: string | null,
    @Arg('kinds', () => [AttentionKindType], {
      nullable: true,
      description: 'Only items of these kinds, and UNCHECKED when one of their checks fails.',
    })
    kinds: AttentionKind[] | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<Connection<AttentionItemType>> {
    const page = readPage(args, ['int', 'number', 'string']);
    const { teamIds } = await this.services.policy.scope(viewer, { teamId: selected(teamId) });
    const items = await this.services.attention.list({ teamIds, kinds: kinds ?? null }, page);
    return toConnection(items, page, sortKey, attentionNode);
  }

  @FieldResolver(() => String, { description: 'What it is, in sentences, the last without its full stop.' })
  summary(
    @Root() { item }: AttentionItemType,
    @Arg('language', () => PanelLanguage, {
      nullable: true,
      description: 'The language; else that of the viewer, else English.',
    })
    language: PanelLanguage | null,
    @Ctx() { viewer }: ViewerContext,
  ): string {
    return summarize(item, language ?? viewer.language ?? 'en');
  }

  @FieldResolver(() => WebsiteType, { nullable: true, description: 'The website, if it is about one.' })
  website(@Root() { websiteId }: AttentionItemType, @Ctx() { load }: ViewerContext) {
    return websiteId === null ? null : load(this.services.managedWebsites.findMany, websiteId);
  }

  @FieldResolver(() => FormType, { nullable: true, description: 'The form, if it is about one.' })
  form(@Root() { formId }: AttentionItemType, @Ctx() { load }: ViewerContext) {
    return formId === null ? null : load(this.services.managedForms.findMany, formId);
  }

  @FieldResolver(() => TeamType, { nullable: true, description: 'The team that it concerns.' })
  team(@Root() { teamId }: AttentionItemType, @Ctx() { load }: ViewerContext) {
    return teamId === null ? null : load(this.services.teams.byIds, teamId);
  }

  @Authorized()
  @Query(() => TodayType, { description: 'How the day goes.', complexity: listCost(30) })
  async today(
    @Arg('teamId', () => ID, TEAM) teamId: string | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<TodayType> {
    const { teamIds } = await this.services.policy.scope(viewer, { teamId: selected(teamId) });
    return this.services.attention.today({ teamIds });
  }

  @Authorized()
  @Query(() => [SetAsideType], {
    description: 'What is set aside of a website, what ends first at the top.',
    complexity: listCost(5),
  })
  async setAsides(
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string,
    @Ctx() context: ViewerContext,
  ): Promise<SetAsideType[]> {
    const { id } = await requireWebsite(this.services.managedWebsites, context.viewer, websiteId, 'read');
    return (await this.services.setAsides.list(id)).map(setAsideOf);
  }

  @Authorized()
  @Mutation(() => SetAsideType, {
    description: 'Leaves the items of a kind about a website out of the list, while they are expected.',
  })
  async setAside(
    @Arg('kind', () => AttentionKindType, KIND) kind: AttentionKind,
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string,
    @Arg('until', () => Date, { description: 'Until when they are expected, 366 days ahead at most.' })
    until: Date,
    @Arg('reason', () => String, { defaultValue: '', description: 'Why, in up to 500 characters.' })
    reason: string,
    @Ctx() context: ViewerContext,
  ): Promise<SetAsideType> {
    const website = await requireWebsite(this.services.managedWebsites, context.viewer, websiteId, 'manage');
    const read = readInput(expectation(this.services.clock()), { until, reason }, 'setAside');
    const details = { ...read, userId: context.viewer.userId };
    const entry = await this.services.setAsides.set({ kind, website }, details, panelActor(context));
    if (!entry) throw websiteNotFound();
    return setAsideOf(entry);
  }

  @Authorized()
  @Mutation(() => Boolean, {
    description: 'Lists the items of a kind about a website again. False: they were not set aside.',
  })
  async endSetAside(
    @Arg('kind', () => AttentionKindType, KIND) kind: AttentionKind,
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const website = await requireWebsite(this.services.managedWebsites, context.viewer, websiteId, 'manage');
    return this.services.setAsides.end({ kind, website }, panelActor(context));
  }
}

const selected = (teamId: string | null): number | undefined =>
  teamId == null ? undefined : intId(teamId, 'Team');
