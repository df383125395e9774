import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { PanelContext } from '../../graphql/context.js';
import { listCost } from '../../graphql/cost.js';
import {
  EmailRecipientType,
  NotificationAttemptType,
  NotificationType,
} from '../../notifications/notification.type.js';
import type { ListedNotification } from './listed-submission.js';
import type { SubmissionLog } from './submission-log.service.js';

type Services = Readonly<{ submissionLog: SubmissionLog }>;

@Resolver(() => NotificationType)
export class NotificationsResolver {
  constructor(private readonly services: Services) {}

  @FieldResolver(() => Date, {
    nullable: true,
    description: 'When it is tried next; null unless it is pending.',
  })
  nextAttemptAt(@Root() { state, nextAttemptAt }: ListedNotification): Date | null {
    return state === 'pending' ? nextAttemptAt : null;
  }

  @FieldResolver(() => [NotificationAttemptType], {
    description: 'Every attempt that has ended, the first one first.',
    complexity: listCost(3),
  })
  attempts(
    @Root() { submissionId }: ListedNotification,
    @Ctx() { load }: PanelContext,
  ): Promise<NotificationAttemptType[]> {
    return load(this.services.submissionLog.attempts, submissionId);
  }

  @FieldResolver(() => [EmailRecipientType], {
    description: 'What became of it for each recipient; while it is pending also for those not tried yet.',
    complexity: listCost(3),
  })
  recipients(
    @Root() { submissionId }: ListedNotification,
    @Ctx() { load }: PanelContext,
  ): Promise<EmailRecipientType[]> {
    return load(this.services.submissionLog.recipients, submissionId);
  }
}
