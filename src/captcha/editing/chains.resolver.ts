import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import { panelActor } from '../../auth/panel-actor.js';
import { conflict, notFound, websiteNotFound } from '../../errors.js';
import type { ViewerContext } from '../../graphql/context.js';
import { listCost } from '../../graphql/cost.js';
import { invalidInput, readInput } from '../../graphql/read-input.js';
import { type Limiter, requirePassing } from '../../http/limits/rate-limit.js';
import type { ManagedWebsites } from '../../websites/editing/managed-websites.service.js';
import { WebsiteType } from '../../websites/editing/website.type.js';
import { requireWebsite } from '../../websites/editing/website-right.js';
import type { CredentialsVerdict } from '../providers/check-credentials.js';
import { CaptchaStepInput, CaptchaStepType, CredentialsOutcome } from './chain.type.js';
import type { Chains } from './chains.service.js';
import { chainSchema } from './step.schema.js';

type Services = Readonly<{ chains: Chains; managedWebsites: ManagedWebsites; limiter: Limiter }>;

const WEBSITE = { description: 'UUID of the website.' };

@Resolver(() => WebsiteType)
export class ChainsResolver {
  constructor(private readonly services: Services) {}

  @FieldResolver(() => [CaptchaStepType], {
    description: 'Its captcha chain in order; empty: the default of the platform.',
    complexity: listCost(3),
  })
  async captchaChain(
    @Root() { id }: WebsiteType,
    @Ctx() { load }: ViewerContext,
  ): Promise<CaptchaStepType[]> {
    return (await load(this.services.chains.ofWebsites, id)).steps;
  }

  @FieldResolver(() => String, {
    description: 'Version of its captcha chain, which every change of it changes; for `saveCaptchaChain`.',
  })
  async captchaChainVersion(@Root() { id }: WebsiteType, @Ctx() { load }: ViewerContext): Promise<string> {
    return (await load(this.services.chains.ofWebsites, id)).version;
  }

  @Authorized()
  @Mutation(() => [CaptchaStepType], {
    description:
      'Makes these the captcha chain of a website, in this order; steps that are not given are deleted.',
    complexity: listCost(3),
  })
  async saveCaptchaChain(
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string,
    @Arg('links', () => [CaptchaStepInput], { description: 'The steps in their order.' })
    steps: CaptchaStepInput[],
    @Arg('version', () => String, {
      nullable: true,
      description:
        'The `captchaChainVersion` that was read: CONFLICT when the chain has changed since. Without it, whatever is stored is replaced.',
    })
    version: string | null,
    @Ctx() context: ViewerContext,
  ): Promise<CaptchaStepType[]> {
    const website = await requireWebsite(this.services.managedWebsites, context.viewer, websiteId, 'manage');
    const { chains } = this.services;
    const chain = { steps: readInput(chainSchema, steps, 'links'), version: version ?? null };
    const saved = await chains.save(website, chain, panelActor(context));
    if (saved === 'not_found') throw websiteNotFound();
    if (saved === 'conflict') throw conflict('The captcha chain has changed since it was read.');
    if (saved !== 'saved') throw invalidInput(saved.faults, 'links');
    const [stored] = await chains.ofWebsites([website.id]);
    return stored?.steps ?? [];
  }

  @Authorized()
  @Mutation(() => CredentialsOutcome, {
    description:
      'Checks the credentials of a step with its provider, with a token that is wrong on purpose. 30 times a minute for each account.',
  })
  async checkCaptchaLink(
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string,
    @Arg('key', () => String, { description: 'Key of the step.' }) key: string,
    @Ctx() context: ViewerContext,
  ): Promise<CredentialsVerdict> {
    const website = await requireWebsite(this.services.managedWebsites, context.viewer, websiteId, 'manage');
    const { chains, limiter } = this.services;
    const { viewer, client } = context;
    requirePassing(await limiter.consume({ limit: 'captcha-check', key: String(viewer.userId) }));
    const caller = { clientIp: client.ip, userAgent: client.userAgent ?? undefined };
    const verdict = await chains.check(website, key, caller);
    if (!verdict) throw notFound('Captcha step not found.');
    return verdict;
  }
}
