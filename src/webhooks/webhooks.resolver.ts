import {
  Arg,
  Args,
  Authorized,
  Ctx,
  FieldResolver,
  ID,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { panelActor } from '../auth/panel-actor.js';
import { type Policy, requireRight } from '../auth/policy.js';
import { webhookNotFound } from '../errors.js';
import { type Connection, PageArgs, readPage, toConnectionById } from '../graphql/connection.js';
import type { ViewerContext } from '../graphql/context.js';
import { listCost, pageCost } from '../graphql/cost.js';
import { intId, uuidId } from '../graphql/ids.js';
import { readInput } from '../graphql/read-input.js';
import { type Limiter, requirePassing } from '../http/limits/rate-limit.js';
import type { Outbound } from '../lib/outbound/outbound.js';
import { timestampOf } from './signing.js';
import { redelivery, webhookSettings } from './webhook.schema.js';
import {
  WebhookAttemptType,
  WebhookDeliveryConnection,
  WebhookDeliveryType,
  WebhookInput,
  WebhookNarrowingType,
  WebhookType,
  WebhookWithSecretType,
} from './webhook.type.js';
import type { ListedDelivery, ListedWebhook, Webhooks } from './webhooks.service.js';

type Services = Readonly<{
  webhooks: Webhooks;
  policy: Policy;
  limiter: Limiter;
  outbound: Pick<Outbound, 'faultOf'>;
}>;

const WEBHOOK = { description: 'A webhook of a team that the viewer manages.' };

const BODY_COST = 20;

@Resolver(() => WebhookDeliveryType)
export class WebhooksResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => [WebhookType], {
    description: 'The webhooks of a team that the viewer manages, the oldest first.',
    complexity: listCost(10),
  })
  async webhooks(
    @Arg('teamId', () => ID, { description: 'Of which team.' }) teamId: string,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<WebhookType[]> {
    const id = await this.services.policy.requireTeam(viewer, intId(teamId, 'Team'), 'manage');
    return this.services.webhooks.listOfTeam(id);
  }

  @Authorized()
  @Query(() => WebhookDeliveryConnection, {
    description: 'The deliveries of a webhook of the last 30 days, the newest first.',
    complexity: pageCost,
  })
  async webhookDeliveries(
    @Arg('webhookId', () => ID, WEBHOOK) webhookId: string,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<Connection<WebhookDeliveryType>> {
    const { webhooks } = this.services;
    const webhook = await this.requireManaged(viewer, webhookId);
    const page = readPage(args, ['instant', 'uuid']);
    const places = await webhooks.listDeliveries(webhook.id, page);
    const found = await webhooks.findDeliveries(places.map(({ id }) => id));
    const byId = new Map(found.map((delivery) => [delivery.id, delivery]));
    return toConnectionById(
      places,
      page,
      ({ at, id }) => [at, id],
      byId,
      (delivery) => delivery,
    );
  }

  @FieldResolver(() => Date, {
    nullable: true,
    description: 'When it is tried next; null: it has ended, or is being sent now.',
  })
  nextAttemptAt(@Root() delivery: ListedDelivery): Date | null {
    return this.services.webhooks.nextAttemptOf(delivery);
  }

  @FieldResolver(() => [WebhookAttemptType], {
    description: 'The attempts that have ended, the first one first.',
    complexity: listCost(10),
  })
  attempts(@Root() { attemptLog }: ListedDelivery): WebhookAttemptType[] {
    return attemptLog.map((attempt) => ({ ...attempt, timestamp: timestampOf(attempt.startedAt) }));
  }

  @FieldResolver(() => String, {
    description: 'The body of its message, as an attempt would send it now.',
    complexity: BODY_COST,
  })
  body(@Root() delivery: ListedDelivery): Promise<string> {
    return this.services.webhooks.bodyOf(delivery);
  }

  @Authorized()
  @Mutation(() => WebhookWithSecretType, {
    description: 'Creates a webhook of a team, which has ten at most. Its secret is in this answer alone.',
  })
  async createWebhook(
    @Arg('teamId', () => ID, { description: 'For which team.' }) teamId: string,
    @Arg('input', () => WebhookInput, { description: 'Its settings.' }) input: WebhookInput,
    @Ctx() context: ViewerContext,
  ): Promise<WebhookWithSecretType> {
    const team = await this.services.policy.requireTeam(context.viewer, intId(teamId, 'Team'), 'manage');
    const { id, secret } = await this.services.webhooks.create(
      team,
      await this.readSettings(input),
      panelActor(context),
    );
    return { webhook: await this.read(id), secret };
  }

  @Authorized()
  @Mutation(() => WebhookType, {
    description:
      'Replaces the settings of a webhook; its secret stays. CONFLICT to enable it while what waited is being ended.',
  })
  async updateWebhook(
    @Arg('id', () => ID, WEBHOOK) id: string,
    @Arg('input', () => WebhookInput, { description: 'Its settings.' }) input: WebhookInput,
    @Ctx() context: ViewerContext,
  ): Promise<WebhookType> {
    const webhook = await this.requireManaged(context.viewer, id);
    const settings = await this.readSettings(input, webhook.url);
    await this.services.webhooks.update(webhook, settings, panelActor(context));
    return this.read(webhook.id);
  }

  @Authorized()
  @Mutation(() => Boolean, { description: 'Deletes a webhook with its deliveries; what waits is not sent.' })
  async deleteWebhook(
    @Arg('id', () => ID, WEBHOOK) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const webhook = await this.requireManaged(context.viewer, id);
    await this.services.webhooks.remove(webhook, panelActor(context));
    return true;
  }

  @Authorized()
  @Mutation(() => WebhookWithSecretType, {
    description:
      'Draws a new secret for a webhook. For 24 hours messages carry a signature of the one before it too. CONFLICT ' +
      'while five former secrets sign.',
  })
  async rotateWebhookSecret(
    @Arg('id', () => ID, WEBHOOK) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<WebhookWithSecretType> {
    const webhook = await this.requireManaged(context.viewer, id);
    const secret = await this.services.webhooks.rotateSecret(webhook, panelActor(context));
    return { webhook: await this.read(webhook.id), secret };
  }

  @Authorized()
  @Mutation(() => WebhookDeliveryType, {
    description:
      'Sends a `webhook.test` to a webhook, also to a disabled one: once, 20 in ten minutes for a team.',
    complexity: BODY_COST,
  })
  async sendTestWebhook(
    @Arg('id', () => ID, WEBHOOK) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<WebhookDeliveryType> {
    const { limiter, webhooks } = this.services;
    const webhook = await this.requireManaged(context.viewer, id);
    requirePassing(await limiter.consume({ limit: 'webhook-tests', key: String(webhook.teamId) }));
    return webhooks.sendTest(webhook, panelActor(context));
  }

  @Authorized()
  @Mutation(() => Int, {
    description:
      'Sends deliveries of an active webhook now, with the ids that they had: those named, or all since a time but ' +
      'tests, that have ended or wait for a retry. The answer is how many. CONFLICT while all since an earlier time ' +
      'are being prepared.',
  })
  async redeliver(
    @Arg('webhookId', () => ID, WEBHOOK) webhookId: string,
    @Arg('deliveryIds', () => [ID], { nullable: true, description: 'Which ones, 100 at most.' })
    deliveryIds: string[] | null,
    @Arg('since', () => Date, {
      nullable: true,
      description: 'All whose event happened at this time or later.',
    })
    since: Date | null,
    @Ctx() context: ViewerContext,
  ): Promise<number> {
    const webhook = await this.requireManaged(context.viewer, webhookId);
    const which = readInput(redelivery, { deliveryIds, since }, 'redeliver');
    return this.services.webhooks.redeliver(webhook, which, panelActor(context));
  }

  /** A stored address is not checked again, so that an endpoint whose name has gone can still be disabled. */
  private async readSettings(input: WebhookInput, stored?: string) {
    const fault = input.url === stored ? null : await this.services.outbound.faultOf(input.url);
    return readInput(webhookSettings(fault), input);
  }

  private async read(id: string): Promise<WebhookType> {
    const found = await this.services.webhooks.find(id);
    if (!found) throw webhookNotFound();
    return found;
  }

  /** Reads a webhook of a team that the viewer manages. @throws 404, 403. */
  private async requireManaged(viewer: ViewerContext['viewer'], id: string): Promise<ListedWebhook> {
    const found = await this.services.webhooks.find(uuidId(id, 'Webhook'));
    return requireRight(viewer, found, 'manage', 'Webhook');
  }
}

@Resolver(() => WebhookType)
export class WebhookFieldsResolver {
  constructor(private readonly services: Pick<Services, 'webhooks'>) {}

  @FieldResolver(() => [WebhookNarrowingType], {
    description: 'The websites that it is narrowed to, with those that are gone.',
    complexity: listCost(10),
  })
  async websites(
    @Root() webhook: ListedWebhook,
    @Ctx() { load }: ViewerContext,
  ): Promise<WebhookNarrowingType[]> {
    return (await load(this.services.webhooks.narrowedTo, webhook)).websites;
  }

  @FieldResolver(() => [WebhookNarrowingType], {
    description: 'The forms that it is narrowed to, with those that are gone.',
    complexity: listCost(10),
  })
  async forms(
    @Root() webhook: ListedWebhook,
    @Ctx() { load }: ViewerContext,
  ): Promise<WebhookNarrowingType[]> {
    return (await load(this.services.webhooks.narrowedTo, webhook)).forms;
  }

  @FieldResolver(() => [Date], {
    description: 'Until when each former secret signs as well, the latest first: 24 hours from its rotation.',
    complexity: listCost(5),
  })
  formerSecretsUntil(@Root() webhook: ListedWebhook): Date[] {
    return this.services.webhooks.formerSecretsUntil(webhook);
  }
}
