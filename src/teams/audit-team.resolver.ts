import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { AuditEventType } from '../audit/audit-event.type.js';
import type { PanelContext } from '../graphql/context.js';
import { TeamType } from './team.type.js';
import type { Teams } from './teams.service.js';

@Resolver(() => AuditEventType)
export class AuditTeamResolver {
  constructor(private readonly services: Readonly<{ teams: Teams }>) {}

  @FieldResolver(() => TeamType, {
    nullable: true,
    description: 'The team concerned; null: the installation, an account.',
  })
  async team(@Root() { teamId }: AuditEventType, @Ctx() { load }: PanelContext): Promise<TeamType | null> {
    return teamId === null ? null : load(this.services.teams.byIds, teamId);
  }
}
