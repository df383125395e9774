import { Arg, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { z } from 'zod';
import type { ViewerContext } from '../../graphql/context.js';
import { listCost } from '../../graphql/cost.js';
import { readInput } from '../../graphql/read-input.js';
import { WebsiteType } from '../../websites/editing/website.type.js';
import type { Statistics } from './statistics.service.js';

const daysSchema = z.int().min(1).max(90);

@Resolver(() => WebsiteType)
export class WebsiteLeadsResolver {
  constructor(private readonly services: Readonly<{ statistics: Statistics }>) {}

  @FieldResolver(() => [Int], {
    description:
      'How many submissions came on each of the last days in its time zone, without spam, oldest first; the last is today.',
    complexity: listCost(30),
  })
  leadsPerDay(
    @Root() { id: websiteId }: WebsiteType,
    @Arg('days', () => Int, { defaultValue: 30, description: 'How many days, 90 at most.' }) days: number,
    @Ctx() { load }: ViewerContext,
  ): Promise<number[]> {
    const wanted = { websiteId, days: readInput(daysSchema, days, 'days') };
    return load(this.services.statistics.recent, wanted);
  }
}
