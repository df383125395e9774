import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Authorized, Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { Policy } from '../../auth/policy.js';
import { notFound } from '../../errors.js';
import type { SavedView } from '../../generated/prisma/client.js';
import type { ViewerContext } from '../../graphql/context.js';
import { listCost } from '../../graphql/cost.js';
import { uuidId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import { SubmissionFilter } from '../inbox/inbox-filter.type.js';
import { viewName, viewSchema } from './saved-view.schema.js';
import type { SavedViews } from './saved-views.service.js';

type Services = Readonly<{ policy: Policy; savedViews: SavedViews }>;

const VIEW = { description: 'A view of the viewer.' };
const NAME = { description: 'The name: 1 to 100 characters, unique among the views of the account.' };

@ObjectType('SavedView', {
  simpleResolvers: true,
  description: 'A filter of the inbox that the account has given a name; no other account sees it.',
})
class SavedViewType implements Omit<SavedView, 'userId'> {
  @Field(() => ID, { description: 'Identifies the view.' })
  id!: string;

  @Field(() => String, { description: 'Its name; the list is sorted by it.' })
  name!: string;

  @Field(() => GraphQLJSONObject, { description: 'Its filter, as `SubmissionFilter` takes it.' })
  filter!: SavedView['filter'];

  @Field(() => Int, {
    nullable: true,
    description: "Narrows it to so many days before it is looked at; null: the filter's own period.",
  })
  lastDays!: number | null;

  @Field(() => Date, { description: 'When it was first saved.' })
  createdAt!: Date;
}

@Resolver()
export class SavedViewsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => [SavedViewType], {
    description: 'The views that the viewer has saved, sorted by name.',
    complexity: listCost(50),
  })
  savedViews(@Ctx() { viewer }: ViewerContext): Promise<SavedViewType[]> {
    return this.services.savedViews.list(viewer.userId);
  }

  @Authorized()
  @Mutation(() => SavedViewType, {
    description: 'Saves a view, in the place of one of the same name. CONFLICT beyond 50 views.',
  })
  async saveView(
    @Arg('name', () => String, NAME) name: string,
    @Arg('filter', () => SubmissionFilter, {
      description: 'What it shows. Its text must not hold an e-mail address, since the view is kept.',
    })
    filter: SubmissionFilter,
    @Arg('lastDays', () => Int, {
      nullable: true,
      description: 'Narrows it to so many days before it is looked at: 1 to 3,650.',
    })
    lastDays: number | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<SavedViewType> {
    const named = readInput(viewName, name, 'name');
    const view = {
      filter: readInput(viewSchema.shape.filter, filter, 'filter'),
      lastDays: readInput(viewSchema.shape.lastDays, lastDays, 'lastDays'),
    };
    await this.services.policy.scope(viewer, view.filter);
    return this.services.savedViews.save(viewer.userId, { name: named, ...view });
  }

  @Authorized()
  @Mutation(() => SavedViewType, { description: 'Renames a view. CONFLICT when another one has this name.' })
  async renameView(
    @Arg('id', () => ID, VIEW) id: string,
    @Arg('name', () => String, NAME) name: string,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<SavedViewType> {
    const named = readInput(viewName, name, 'name');
    const view = await this.services.savedViews.rename(viewer.userId, uuidId(id, 'View'), named);
    if (!view) throw notFound('View not found.');
    return view;
  }

  @Authorized()
  @Mutation(() => Boolean, { description: 'Deletes a view.' })
  async deleteView(
    @Arg('id', () => ID, VIEW) id: string,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<boolean> {
    const isDeleted = await this.services.savedViews.delete(viewer.userId, uuidId(id, 'View'));
    if (!isDeleted) throw notFound('View not found.');
    return true;
  }
}
