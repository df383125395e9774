import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import { panelActor } from '../../auth/panel-actor.js';
import type { Policy } from '../../auth/policy.js';
import { teamNotFound } from '../../errors.js';
import type { ViewerContext } from '../../graphql/context.js';
import { intId } from '../../graphql/ids.js';
import { TeamType } from '../../teams/team.type.js';
import type { ReportSetting } from './monthly-reports.queries.js';
import type { MonthlyReports } from './monthly-reports.service.js';

type Services = Readonly<{ monthlyReports: MonthlyReports; policy: Policy }>;

@Resolver(() => TeamType)
export class MonthlyReportsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Mutation(() => Boolean, {
    description:
      'Sets whether the owners of a team get a report of each month by e-mail, from the present month on.',
  })
  async setMonthlyReport(
    @Arg('teamId', () => ID, { description: 'Which team.' }) teamId: string,
    @Arg('enabled', () => Boolean, { description: 'Whether they get it.' }) enabled: boolean,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const id = await this.services.policy.requireTeam(context.viewer, intId(teamId, 'Team'), 'manage');
    await this.services.monthlyReports.set(id, enabled, panelActor(context));
    return true;
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether the owners get a report of each month by e-mail.',
  })
  async monthlyReport(@Root() team: TeamType, @Ctx() context: ViewerContext): Promise<boolean> {
    return (await this.settingOf(team, context)).isSent;
  }

  @FieldResolver(() => String, {
    description:
      'A time zone of its websites in which the day is the latest: its page of figures ends with that day. Leads are ' +
      'counted by the days of their own websites.',
  })
  async reportTimeZone(@Root() team: TeamType, @Ctx() context: ViewerContext): Promise<string> {
    return (await this.settingOf(team, context)).timeZone;
  }

  private async settingOf({ id }: TeamType, { load }: ViewerContext): Promise<ReportSetting> {
    const setting = await load(this.services.monthlyReports.ofTeams, id);
    if (!setting) throw teamNotFound();
    return setting;
  }
}
