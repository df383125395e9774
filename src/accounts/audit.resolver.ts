import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { AuditArgs, AuditEventConnection, AuditEventType } from '../audit/audit-event.type.js';
import type { AuditLog } from '../audit/audit-log.queries.js';
import { type SubjectNames, subjectKey } from '../audit/subject-names.js';
import { requireRight } from '../auth/policy.js';
import { type Connection, readPage, toConnection } from '../graphql/connection.js';
import type { PanelContext, ViewerContext } from '../graphql/context.js';
import { listCost, pageCost } from '../graphql/cost.js';
import { intId } from '../graphql/ids.js';
import { readInput } from '../graphql/read-input.js';
import { orNull, text } from '../lib/input.schema.js';
import { instant } from '../lib/instant.schema.js';
import { AccountType } from './account.type.js';
import type { Accounts } from './accounts.service.js';
import { readAuditTeam } from './audit-scope.js';
import { isOfAgency } from './is-of-agency.js';

type Services = Readonly<{ auditLog: AuditLog; subjectNames: SubjectNames; accounts: Accounts }>;

@Resolver(() => AuditEventType)
export class AuditResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => AuditEventConnection, {
    description:
      'The audit trail of a team, for its managers, or of every team, for staff; the latest first.',
    complexity: pageCost,
  })
  async auditEvents(
    @Args(() => AuditArgs) args: AuditArgs,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<Connection<AuditEventType>> {
    const page = readPage(args, ['instant', 'uuid']);
    const filter = {
      teamId: readAuditTeam(viewer, args.teamId),
      actorId: args.actorId == null ? null : intId(args.actorId, 'Account'),
      action: args.action == null ? null : readInput(text(100), args.action, 'action'),
      from: readInput(orNull(instant), args.from, 'from'),
      until: readInput(orNull(instant), args.until, 'until'),
    };
    return toConnection(
      await this.services.auditLog.list(filter, page),
      page,
      ({ at, id }) => [at, id],
      (row) => row,
    );
  }

  @Authorized()
  @Query(() => [AccountType], {
    description:
      'The accounts that occur in the audit trail of a team, for its managers: former members and staff as well.',
    complexity: listCost(50),
  })
  async auditActors(
    @Arg('teamId', () => ID, { description: 'Which team.' }) teamId: string,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<AccountType[]> {
    const team = requireRight(viewer, { teamId: intId(teamId, 'Team') }, 'manage', 'Team');
    const { auditLog, accounts: directory } = this.services;
    const accounts = await directory.byIds(await auditLog.actorsOf(team.teamId));
    return accounts.filter((account) => account !== null);
  }

  @FieldResolver(() => AccountType, {
    nullable: true,
    description:
      'The account that acted, without a name when it has been deleted; null when it was no person.',
  })
  async actor(
    @Root() { actorId }: AuditEventType,
    @Ctx() { load }: PanelContext,
  ): Promise<AccountType | null> {
    return actorId === null ? null : load(this.services.accounts.byIds, actorId);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'What it was done to is called now: the host of a website or webhook, else the name; null when it has been ' +
      'deleted, or has none as a lead.',
  })
  subjectName(@Root() event: AuditEventType, @Ctx() { load }: PanelContext): Promise<string | null> {
    return load(this.services.subjectNames.byKeys, subjectKey(event));
  }

  /** Returns the IP address, except that clients do not see the addresses of the agency's staff. */
  @FieldResolver()
  async ip(
    @Root() { ip, actorId }: AuditEventType,
    @Ctx() { viewer, load }: ViewerContext,
  ): Promise<string | null> {
    if (viewer.staff || ip === null || actorId === null) return ip;
    const actor = await load(this.services.accounts.byIds, actorId);
    return isOfAgency(actor) ? null : ip;
  }
}
