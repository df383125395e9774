import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import type { ViewerContext } from '../graphql/context.js';
import { intId } from '../graphql/ids.js';
import { panelActor } from './panel-actor.js';
import type { ViewAs } from './view-as.service.js';

@Resolver()
export class ViewAsResolver {
  constructor(private readonly services: Readonly<{ viewAs: ViewAs }>) {}

  @Authorized('staff')
  @Mutation(() => Boolean, {
    description:
      'Shows the panel as an owner of a team sees it, in this session, until `endViewAs` or `logout`. Every other ' +
      'operation that changes something is refused meanwhile. Begin and end stand in the team’s audit trail.',
  })
  async viewAs(
    @Arg('teamId', () => ID, { description: 'Which team.' }) teamId: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    await this.services.viewAs.begin(context.viewer, intId(teamId, 'Team'), panelActor(context));
    return true;
  }

  @Authorized()
  @Mutation(() => Boolean, {
    description: 'Shows the panel as the viewer’s own account sees it again; false when it did so before.',
  })
  endViewAs(@Ctx() context: ViewerContext): Promise<boolean> {
    return this.services.viewAs.end(context.viewer, panelActor(context));
  }
}
