import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { ViewerContext } from '../graphql/context.js';
import { WebsiteType } from '../websites/editing/website.type.js';
import type { Probes } from './probes.service.js';

@Resolver(() => WebsiteType)
export class LastProbeResolver {
  constructor(private readonly services: Readonly<{ probes: Pick<Probes, 'lastOk'> }>) {}

  @FieldResolver(() => Boolean, {
    nullable: true,
    description: 'Whether its latest probe passed; null: none has ended in the last 90 days.',
  })
  lastProbeOk(@Root() { id }: WebsiteType, @Ctx() { load }: ViewerContext): Promise<boolean | null> {
    return load(this.services.probes.lastOk, id);
  }
}
