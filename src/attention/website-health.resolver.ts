import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { ViewerContext } from '../graphql/context.js';
import { listCost } from '../graphql/cost.js';
import { WebsiteType } from '../websites/editing/website.type.js';
import type { Attention } from './attention.service.js';
import { AttentionItemType, attentionNode } from './attention.type.js';
import { stopsMailOfTeam } from './attention-item.js';

@Resolver(() => WebsiteType)
export class WebsiteHealthResolver {
  constructor(private readonly services: Readonly<{ attention: Attention }>) {}

  @FieldResolver(() => [AttentionItemType], {
    description:
      'What needs attention about it, the most urgent first; empty while all is well. UNCHECKED when some of it is ' +
      'unknown; without a website QUOTA_REACHED while the quota of its team holds e-mails back, and MAIL_HELD while ' +
      'e-mails of its team wait for a worker to get them to the mail server.',
    complexity: listCost(2),
  })
  async health(
    @Root() { id, teamId, disabled }: WebsiteType,
    @Ctx() { load }: ViewerContext,
  ): Promise<AttentionItemType[]> {
    const ofTeam = await load(this.services.attention.ofTeams, teamId);
    return ofTeam
      .filter(
        (item) =>
          item.websiteId === id || (!disabled && (item.kind === 'UNCHECKED' || stopsMailOfTeam(item))),
      )
      .map(attentionNode);
  }
}
