import { Arg, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { panelActor } from '../auth/panel-actor.js';
import { PanelLanguage } from '../generated/prisma/enums.js';
import type { ViewerContext } from '../graphql/context.js';
import { type Estimate, listCost } from '../graphql/cost.js';
import { limitOf } from '../graphql/limit.js';
import type { ManagedWebsites } from '../websites/editing/managed-websites.service.js';
import { requireWebsite } from '../websites/editing/website-right.js';
import { FINDING_WORDS } from './finding.words.js';
import { ProbeStepType, ProbeType } from './probe.type.js';
import { KEPT_DAYS, type ListedProbe, type Probes } from './probes.service.js';

type Services = Readonly<{ probes: Probes; managedWebsites: Pick<ManagedWebsites, 'find'> }>;

const WEBSITE = { description: 'UUID of the website.' };

const LATEST = limitOf({ usual: 10, most: 100, name: 'first' });

@Resolver(() => ProbeType)
export class ProbesResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => [ProbeType], {
    description: 'The latest probes of a website, the newest first. They are kept for 90 days.',
    complexity: LATEST.cost,
  })
  async probes(
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string,
    @Arg('first', () => Int, LATEST.options) first: number,
    @Ctx() context: ViewerContext,
  ): Promise<ListedProbe[]> {
    const { id } = await requireWebsite(this.services.managedWebsites, context.viewer, websiteId, 'read');
    return this.services.probes.list(id, LATEST.read(first));
  }

  @Authorized()
  @Query(() => [ProbeType], {
    description:
      'One probe of each of the last 90 days of a website, in its time zone, the newest day first: the latest that ' +
      'failed, else the latest that passed. Probes that were broken off are left out.',
    complexity: listCost(KEPT_DAYS),
  })
  async probeDays(
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string,
    @Ctx() context: ViewerContext,
  ): Promise<ListedProbe[]> {
    const { id } = await requireWebsite(this.services.managedWebsites, context.viewer, websiteId, 'read');
    return this.services.probes.listDays(id);
  }

  @Authorized()
  @Mutation(() => ProbeType, {
    description:
      'Tests a website as a visitor of its page would use it, up to the e-mail, which goes to PROBE_MAILBOX. The ' +
      'answer comes when the test has ended, after half a minute at most; `probes` shows each step before that. Ten ' +
      'times in ten minutes for each website.',
    complexity: ({ childComplexity }: Pick<Estimate, 'childComplexity'>) => 500 + childComplexity,
  })
  async runProbe(
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string,
    @Ctx() context: ViewerContext,
  ): Promise<ListedProbe> {
    const website = await requireWebsite(this.services.managedWebsites, context.viewer, websiteId, 'manage');
    return this.services.probes.run(website, panelActor(context));
  }
}

/** The words of what a step has found. */
@Resolver(() => ProbeStepType)
export class ProbeStepsResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'What the finding means and what to do about it, in sentences; null without a finding.',
  })
  explanation(
    @Root() { finding }: ProbeStepType,
    @Arg('language', () => PanelLanguage, {
      nullable: true,
      description: 'The language; else that of the viewer, else English.',
    })
    language: PanelLanguage | null,
    @Ctx() { viewer }: ViewerContext,
  ): string | null {
    return finding && FINDING_WORDS[language ?? viewer.language ?? 'en'][finding];
  }
}
