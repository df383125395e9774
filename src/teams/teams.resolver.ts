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
import { ViewerType } from '../accounts/account.type.js';
import { panelActor } from '../auth/panel-actor.js';
import { requireRight } from '../auth/policy.js';
import { invalid } from '../errors.js';
import { type Connection, PageArgs, readPage, toConnection } from '../graphql/connection.js';
import type { ViewerContext } from '../graphql/context.js';
import { listCost, pageCost } from '../graphql/cost.js';
import { intId } from '../graphql/ids.js';
import { readInput } from '../graphql/read-input.js';
import { given } from '../lib/changes.js';
import { text } from '../lib/input.schema.js';
import { MonthlyUsageType, PlanType } from '../plans/plan.type.js';
import type { Plans } from '../plans/plans.service.js';
import type { Usage } from '../plans/usage.js';
import type { Members } from './members.service.js';
import {
  CreateTeamInput,
  MembershipType,
  MemberType,
  newTeam,
  TeamConnection,
  TeamType,
  teamSettings,
  UpdateTeamInput,
} from './team.type.js';
import type { Teams } from './teams.service.js';

type Services = Readonly<{ teams: Teams; members: Members; plans: Plans; usage: Usage }>;

@Resolver(() => TeamType)
export class TeamsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => TeamConnection, {
    description: 'The teams that the viewer sees, which are all for staff, by their names.',
    complexity: pageCost,
  })
  async teams(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('search', () => String, {
      defaultValue: '',
      description: 'Part of the name or the slug, in any case.',
    })
    search: string,
    @Arg('planId', () => ID, { nullable: true, description: 'Only those with this plan.' })
    planId: string | null,
    @Arg('active', () => Boolean, {
      nullable: true,
      description: 'False: only suspended ones; true: only the others.',
    })
    active: boolean | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<Connection<TeamType>> {
    const page = readPage(args, ['string', 'int']);
    const filter = {
      search: readInput(text(255), search, 'search'),
      ids: viewer.staff ? null : [...viewer.roles.keys()],
      planId: planId == null ? null : intId(planId, 'Plan'),
      active: active ?? null,
    };
    return toConnection(
      await this.services.teams.list(filter, page),
      page,
      ({ sortName, id }) => [sortName, id],
      (row) => row,
    );
  }

  @Authorized()
  @Query(() => TeamType, { description: 'One team, by its id or its slug.' })
  async team(
    @Arg('id', () => ID, { nullable: true, description: 'Which team.' }) id: string | null,
    @Arg('slug', () => String, { nullable: true, description: 'Or which one, by its slug.' })
    slug: string | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<TeamType> {
    const { teams } = this.services;
    if ((id == null) === (slug == null)) throw invalid({ id: ['Give either the id or the slug.'] });
    const [found = null] =
      id == null
        ? [await teams.bySlug(readInput(text(100), slug, 'slug'))]
        : await teams.byIds([intId(id, 'Team')]);
    requireRight(viewer, found && { teamId: found.id }, 'read', 'Team');
    return found!;
  }

  @Authorized('staff')
  @Mutation(() => TeamType, { description: 'Creates a team.' })
  createTeam(
    @Arg('input', () => CreateTeamInput, { description: 'The team.' }) input: CreateTeamInput,
    @Ctx() context: ViewerContext,
  ): Promise<TeamType> {
    const team = { ...readInput(newTeam, input), planId: intId(input.planId, 'Plan') };
    return this.services.teams.create(team, panelActor(context));
  }

  @Authorized('staff')
  @Mutation(() => TeamType, { description: 'Changes a team; suspending it refuses its tokens and websites.' })
  updateTeam(
    @Arg('id', () => ID, { description: 'Which team.' }) id: string,
    @Arg('input', () => UpdateTeamInput, { description: 'What changes.' }) input: UpdateTeamInput,
    @Ctx() context: ViewerContext,
  ): Promise<TeamType> {
    const planId = input.planId == null ? undefined : intId(input.planId, 'Plan');
    const settings = given({ ...readInput(teamSettings, input), planId });
    return this.services.teams.update(intId(id, 'Team'), settings, panelActor(context));
  }

  @FieldResolver(() => PlanType, { description: 'What the team may use.' })
  async plan(@Root() { planId }: TeamType, @Ctx() { load }: ViewerContext): Promise<PlanType> {
    return (await load(this.services.plans.byIds, planId))!;
  }

  @FieldResolver(() => [MonthlyUsageType], {
    description: 'What the team used in each of the last twelve months, this one first.',
    // Each month is counted, not read.
    complexity: listCost(60),
  })
  async usage(@Root() { id, planId }: TeamType, @Ctx() { load }: ViewerContext): Promise<MonthlyUsageType[]> {
    const [months, plan] = await Promise.all([
      load(this.services.usage.months, id),
      load(this.services.plans.byIds, planId),
    ]);
    return months.map((month) => ({ ...month, limit: plan!.notificationsPerMonth }));
  }

  @FieldResolver(() => Int, {
    description: 'Notification e-mails of the calendar month (UTC) so far that count against the plan.',
  })
  async notificationsUsed(@Root() { id }: TeamType, @Ctx() { load }: ViewerContext): Promise<number> {
    return load(this.services.usage.ofThisMonth, id);
  }

  @FieldResolver(() => Int, { description: 'How many websites it has.' })
  async websiteCount(@Root() { id }: TeamType, @Ctx() { load }: ViewerContext): Promise<number> {
    return load(this.services.teams.websiteCounts, id);
  }

  @FieldResolver(() => [MemberType], {
    description: 'Who belongs to the team, by their addresses.',
    complexity: listCost(20),
  })
  async members(@Root() { id }: TeamType, @Ctx() { load }: ViewerContext): Promise<MemberType[]> {
    return load(this.services.members.ofTeams, id);
  }
}

@Resolver(() => ViewerType)
export class ViewerTeamsResolver {
  constructor(private readonly services: Pick<Services, 'teams'>) {}

  @FieldResolver(() => [MembershipType], {
    description: 'The teams that the viewer belongs to; staff see the others in `teams`.',
    complexity: listCost(5),
  })
  async teams(@Ctx() { viewer, load }: ViewerContext): Promise<MembershipType[]> {
    const roles = [...viewer.roles];
    const teams = await Promise.all(roles.map(([teamId]) => load(this.services.teams.byIds, teamId)));
    return roles.flatMap(([, role], index) => {
      const team = teams[index];
      return team ? [{ team, role }] : [];
    });
  }
}
