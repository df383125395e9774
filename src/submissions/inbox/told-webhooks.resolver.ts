import { Ctx, Field, FieldResolver, ID, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { WebhookDeliveryState } from '../../generated/prisma/enums.js';
import type { PanelContext } from '../../graphql/context.js';
import { listCost } from '../../graphql/cost.js';
import { SubmissionType } from './submission.type.js';
import type { SubmissionLog, ToldWebhook } from './submission-log.service.js';

@ObjectType('ToldWebhook', {
  simpleResolvers: true,
  description: 'An event about a submission that a webhook of its team was told of.',
})
class ToldWebhookType implements Omit<ToldWebhook, 'submissionId'> {
  @Field(() => ID, { description: 'The `webhook-id` of its messages.' })
  id!: string;

  @Field(() => String, { description: 'The type of the event, such as `submission.created`.' })
  type!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The host that is told; null: the webhook is deleted.',
  })
  host!: string | null;

  @Field(() => WebhookDeliveryState, { description: 'What became of the delivery.' })
  state!: WebhookDeliveryState;

  @Field(() => Date, { description: 'When the event happened.' })
  createdAt!: Date;

  @Field(() => Int, { nullable: true, description: 'The status of the last answer; null: there is none.' })
  status!: number | null;

  @Field(() => Date, { nullable: true, description: 'When the last attempt that has ended began.' })
  attemptedAt!: Date | null;
}

@Resolver(() => SubmissionType)
export class ToldWebhooksResolver {
  constructor(private readonly services: Readonly<{ submissionLog: Pick<SubmissionLog, 'toldWebhooks'> }>) {}

  @FieldResolver(() => [ToldWebhookType], {
    description: 'The webhooks that were told of it in the last 30 days, the oldest event first.',
    complexity: listCost(5),
  })
  toldWebhooks(
    @Root() { id }: Pick<SubmissionType, 'id'>,
    @Ctx() { load }: PanelContext,
  ): Promise<ToldWebhookType[]> {
    return load(this.services.submissionLog.toldWebhooks, id);
  }
}
