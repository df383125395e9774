import { Arg, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { panelActor } from '../auth/panel-actor.js';
import type { ViewerContext } from '../graphql/context.js';
import { listCost } from '../graphql/cost.js';
import { intId } from '../graphql/ids.js';
import { readInput } from '../graphql/read-input.js';
import { given } from '../lib/changes.js';
import { CreatePlanInput, newPlan, PlanType, planSettings, UpdatePlanInput } from './plan.type.js';
import type { Plans } from './plans.service.js';

@Resolver(() => PlanType)
export class PlansResolver {
  constructor(private readonly services: Readonly<{ plans: Plans }>) {}

  @Authorized('staff')
  @Query(() => [PlanType], { description: 'Every plan, by its code.', complexity: listCost(20) })
  plans(): Promise<PlanType[]> {
    return this.services.plans.list();
  }

  @Authorized('staff')
  @Mutation(() => PlanType, { description: 'Creates a plan.' })
  createPlan(
    @Arg('input', () => CreatePlanInput, { description: 'The plan.' }) input: CreatePlanInput,
    @Ctx() context: ViewerContext,
  ): Promise<PlanType> {
    return this.services.plans.create(readInput(newPlan, input), panelActor(context));
  }

  @Authorized('staff')
  @Mutation(() => PlanType, {
    description: 'Changes a plan for every team that has it, with immediate effect.',
  })
  updatePlan(
    @Arg('id', () => ID, { description: 'Which plan.' }) id: string,
    @Arg('input', () => UpdatePlanInput, { description: 'What changes.' }) input: UpdatePlanInput,
    @Ctx() context: ViewerContext,
  ): Promise<PlanType> {
    const settings = given(readInput(planSettings, input));
    return this.services.plans.update(intId(id, 'Plan'), settings, panelActor(context));
  }

  @Authorized('staff')
  @FieldResolver(() => Int, { description: 'How many teams have it; for staff.' })
  async teamCount(@Root() { id }: PlanType, @Ctx() { load }: ViewerContext): Promise<number> {
    return load(this.services.plans.teamCounts, id);
  }
}
