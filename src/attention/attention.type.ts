import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionOf } from '../graphql/connection.js';
import { listCost } from '../graphql/cost.js';
import { enumOf } from '../graphql/enum-of.js';
import {
  ATTENTION_ACTIONS,
  ATTENTION_KINDS,
  type AttentionAction,
  type AttentionItem,
  type AttentionKind,
  itemKey,
  SEVERITIES,
  type Severity,
} from './attention-item.js';
import type { ListedSetAside } from './set-asides.service.js';
import type { EmailTotals, TeamQuota } from './today.queries.js';

export const AttentionKindType = enumOf(ATTENTION_KINDS);
const SeverityType = enumOf(SEVERITIES);
const AttentionActionType = enumOf(ATTENTION_ACTIONS);

registerEnumType(AttentionKindType, {
  name: 'AttentionKind',
  description: 'What can need attention.',
  valuesConfig: {
    SILENT_WEBSITE: { description: 'Leads came from the website and come no more, against its own habit.' },
    PROBE_FAILED: { description: 'The last test leads of the website failed.' },
    PAGE_WITHOUT_SCRIPT: { description: 'The website’s page does not load the script for it.' },
    CERTIFICATE_EXPIRING: { description: 'The certificate of the website expires soon.' },
    MAIL_HELD: { description: 'E-mails wait for a mail server.' },
    MAIL_FAILING: { description: 'E-mails about leads have failed or had no recipient.' },
    RECIPIENT_BOUNCING: { description: 'A recipient’s server sends e-mails back.' },
    CAPTCHA_FAILING: { description: 'A captcha provider fails again and again.' },
    CAPTCHA_MISCONFIGURED: { description: 'A captcha provider refuses the credentials of a step.' },
    QUOTA_NEAR: { description: 'The team has used most of its e-mails of the month.' },
    QUOTA_REACHED: { description: 'The team has used its e-mails of the month.' },
    TRANSLATIONS_MISSING: { description: 'A form lacks translations in a language that it offers.' },
    PATTERN_NOT_ENFORCED: { description: 'A form has a pattern that the gateway cannot enforce.' },
    WEBHOOK_FAILING: { description: 'A webhook’s deliveries fail.' },
    SENDER_DNS: { description: 'The domain of the sender is not set up for e-mail.' },
    UNCHECKED: { description: 'Some of the checks failed just now; what they would find is missing.' },
  },
});

registerEnumType(SeverityType, {
  name: 'Severity',
  description: 'How urgent an item is.',
  valuesConfig: {
    URGENT: { description: 'Leads or their e-mails are lost or held up now.' },
    WARNING: { description: 'Something is broken, or looks so.' },
    NOTICE: { description: 'To be mended when there is time.' },
  },
});

registerEnumType(AttentionActionType, {
  name: 'AttentionAction',
  description: 'Where an item is mended.',
  valuesConfig: {
    RUN_PROBE: { description: 'Test the website.' },
    OPEN_INSTALL: { description: 'The installation of the script on the website.' },
    OPEN_WEBSITE: { description: 'The website.' },
    OPEN_SETTINGS: { description: 'The settings of the website, with its address for e-mails.' },
    OPEN_UNSENT: { description: 'The leads of the website whose e-mail was not sent.' },
    OPEN_WAITING: { description: 'The leads of the website, or of the team, whose e-mail waits.' },
    OPEN_RECIPIENTS: { description: 'The recipients of the forms, or of the form, on the website.' },
    OPEN_FORM_RECIPIENTS: { description: 'The recipients of the form on all websites.' },
    OPEN_CAPTCHA: { description: 'The captcha chain of the website.' },
    OPEN_HELD: { description: 'The leads of the team whose e-mail the quota holds back.' },
    OPEN_PLAN: { description: 'The plan of the team.' },
    OPEN_TRANSLATIONS: { description: 'The translations of the form.' },
    OPEN_FIELDS: { description: 'The fields of the form.' },
    OPEN_WEBHOOKS: { description: 'The webhooks of the team.' },
    OPEN_GUIDE: { description: 'What the operator of Formgate does: it is mended outside the panel.' },
  },
});

@ObjectType('AttentionItem', { description: 'Something that needs attention.' })
export class AttentionItemType implements Omit<AttentionItem, 'subject' | 'facts'> {
  @Field(() => ID, { description: 'Identifies the item for as long as it lasts.' })
  id!: string;

  @Field(() => AttentionKindType, { description: 'What it is.' })
  kind!: AttentionKind;

  @Field(() => SeverityType, { description: 'How urgent it is.' })
  severity!: Severity;

  @Field(() => Date, { description: 'When it began.' })
  since!: Date;

  @Field(() => ID, {
    nullable: true,
    description: 'The team that it concerns; null: the whole installation, which only staff see.',
  })
  teamId!: number | null;

  @Field(() => ID, { nullable: true, description: 'The website that it concerns, if it is about one.' })
  websiteId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The form that it concerns, if it is about one.' })
  formId!: number | null;

  @Field(() => AttentionActionType, { description: 'Where it is mended.' })
  action!: AttentionAction;

  /** The item that the texts are worded from. */
  item!: AttentionItem;
}

/** Makes the node of an item. */
export function attentionNode(item: AttentionItem): AttentionItemType {
  const { kind, severity, since, teamId, websiteId, formId, action } = item;
  return { id: itemKey(item), kind, severity, since, teamId, websiteId, formId, action, item };
}

export const AttentionConnection = connectionOf(AttentionItemType, 'Attention');

@ObjectType('SetAside', { description: 'That items of a kind about a website are expected for a while.' })
export class SetAsideType implements Omit<ListedSetAside, 'setById'> {
  @Field(() => ID, { description: 'The website.' })
  websiteId!: string;

  @Field(() => AttentionKindType, { description: 'The kind of the items.' })
  kind!: AttentionKind;

  @Field(() => Date, { description: 'Until when they are left out of the list.' })
  until!: Date;

  @Field(() => String, { description: 'Why they are expected; may be empty.' })
  reason!: string;

  @Field(() => String, { nullable: true, description: 'Who set them aside; null: the account is gone.' })
  setByName!: string | null;

  @Field(() => Date, { description: 'When they were set aside.' })
  createdAt!: Date;
}

@ObjectType('TodaysEmails', { description: 'The e-mails about the leads of today.' })
class TodaysEmailsType implements EmailTotals {
  @Field(() => Int, {
    description: 'The mail server has accepted them, and they have not bounced for every recipient.',
  })
  sent!: number;

  @Field(() => Int, { description: 'They wait for their turn or for their next attempt.' })
  pending!: number;

  @Field(() => Int, {
    description:
      'They have failed, have bounced for every recipient, had no recipient, or are held back by the quota.',
  })
  unsent!: number;
}

@ObjectType('TeamQuota', { description: 'The e-mails that a team has used of its month.' })
class TeamQuotaType implements TeamQuota {
  @Field(() => ID, { description: 'The team.' })
  teamId!: number;

  @Field(() => String, { description: 'Its name.' })
  teamName!: string;

  @Field(() => Int, { description: 'E-mails that count against the plan.' })
  used!: number;

  @Field(() => Int, { description: 'What the plan allows.' })
  limit!: number;
}

@ObjectType('Today', { description: 'How the day goes, in the time zone of each website.' })
export class TodayType {
  @Field(() => Int, { description: 'Leads of today so far, without spam.' })
  leads!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Leads that have usually come by this hour of this weekday; null: none are usual yet.',
  })
  usualLeads!: number | null;

  @Field(() => [Int], {
    description: 'Leads of the last 14 days, without spam, oldest first; the last is today.',
  })
  leadsPerDay!: number[];

  @Field(() => TodaysEmailsType, { description: 'The e-mails about the leads of today.' })
  emails!: TodaysEmailsType;

  @Field(() => [TeamQuotaType], {
    description: 'The five quotas of which the largest shares are used.',
    complexity: listCost(5),
  })
  quotas!: TeamQuotaType[];

  @Field(() => Date, {
    nullable: true,
    description: 'Until when workers have counted leads; null: none has yet.',
  })
  checkedAt!: Date | null;

  @Field(() => Boolean, {
    description: 'Whether workers have counted no leads for more than five minutes, or none has yet.',
  })
  areCountsLate!: boolean;

  @Field(() => Boolean, {
    description: 'Whether tests of websites are due although none has ended for more than a day.',
  })
  areProbesLate!: boolean;

  @Field(() => Int, { description: 'How many items need attention.' })
  attentionCount!: number;
}
