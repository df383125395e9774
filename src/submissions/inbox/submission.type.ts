import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { AuditChannel, CaptchaGround, SubmissionState } from '../../generated/prisma/enums.js';
import { connectionOf } from '../../graphql/connection.js';
import type { ListedSubmission } from './listed-submission.js';
import type { ShownConsent, ShownField } from './submission-fields.js';
import type { LegalHoldChange, ListedNote, StateChange } from './submission-log.service.js';
import type { Summary } from './submission-summary.js';

registerEnumType(SubmissionState, {
  name: 'SubmissionState',
  description: 'How far a submission is handled.',
});

registerEnumType(CaptchaGround, {
  name: 'CaptchaGround',
  description: 'On what ground the captcha chain admitted a submission.',
  valuesConfig: {
    none: { description: 'No captcha was required.' },
    first: { description: 'By the first step of the chain.' },
    designated: { description: 'By the step that a fallback token designates.' },
    altcha: { description: 'By a proof of work further down the chain.' },
    pass_through: { description: 'The last step was unavailable: accepted without a verdict.' },
  },
});

@ObjectType('SubmissionField', {
  simpleResolvers: true,
  description: 'A recorded value, as the visitor saw its field.',
})
export class SubmissionFieldType implements ShownField {
  @Field(() => String, { description: 'Name of the field, the key of what was sent.' })
  name!: string;

  @Field(() => String, {
    description:
      "The form's present label in the language of the submission; the name when the form no longer has the field.",
  })
  label!: string;

  @Field(() => String, {
    nullable: true,
    description: 'What the field is; null when the form no longer has it.',
  })
  type!: string | null;

  @Field(() => GraphQLJSON, { nullable: true, description: 'The value as it is recorded.' })
  value!: unknown;

  @Field(() => String, { description: 'The value to be read: labels of options, several joined by commas.' })
  text!: string;
}

@ObjectType('SubmissionConsent', { description: 'A consent, with the text to which it was given.' })
export class SubmissionConsentType implements ShownConsent {
  @Field(() => String, { description: 'Name of the field.' })
  name!: string;

  @Field(() => String, { description: 'The text that the visitor saw, as recorded then.' })
  label!: string;

  @Field(() => String, { description: 'Language of that text.' })
  locale!: string;
}

@ObjectType('Attribution', { description: 'Where a visitor came from, by the first visit of that day.' })
export class AttributionType {
  @Field(() => String, { nullable: true, description: 'Address of the page before.' })
  referrer!: string | null;

  @Field(() => String, { nullable: true, description: '`utm_source` of that visit.' })
  utmSource!: string | null;

  @Field(() => String, { nullable: true, description: '`utm_medium` of that visit.' })
  utmMedium!: string | null;

  @Field(() => String, { nullable: true, description: '`utm_campaign` of that visit.' })
  utmCampaign!: string | null;

  @Field(() => String, { nullable: true, description: '`utm_term` of that visit.' })
  utmTerm!: string | null;

  @Field(() => String, { nullable: true, description: '`utm_content` of that visit.' })
  utmContent!: string | null;
}

@ObjectType('SubmissionNote', { description: 'A note on a submission.' })
export class SubmissionNoteType implements ListedNote {
  @Field(() => ID, { description: 'Identifies the note.' })
  id!: string;

  @Field(() => ID, { description: 'The submission it is about.' })
  submissionId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'Account of the author; null when it has been deleted.',
  })
  authorId!: number | null;

  @Field(() => String, { nullable: true, description: 'Name of who wrote it.' })
  authorName!: string | null;

  @Field(() => String, { description: 'The note.' })
  text!: string;

  @Field(() => Date, { description: 'When it was written.' })
  createdAt!: Date;
}

@ObjectType('SubmissionStateChange', { description: "A change of a submission's state." })
export class SubmissionStateChangeType implements StateChange {
  @Field(() => SubmissionState, { description: 'Before.' })
  from!: SubmissionState;

  @Field(() => SubmissionState, { description: 'Since then.' })
  to!: SubmissionState;

  @Field(() => Date, { description: 'When.' })
  changedAt!: Date;

  @Field(() => ID, {
    nullable: true,
    description: 'Account that made the change; null when it has been deleted, or the spam filter made it.',
  })
  changedById!: number | null;

  @Field(() => String, { nullable: true, description: 'Name of who did it.' })
  changedByName!: string | null;

  @Field(() => AuditChannel, {
    description: 'The channel through which it came; `system` is the spam filter.',
  })
  channel!: AuditChannel;
}

const LEGAL_HOLD_STEP = {
  set: 'set',
  reason_changed: 'reason_changed',
  released: 'released',
} as const satisfies { [step in LegalHoldChange['step']]: step };

registerEnumType(LEGAL_HOLD_STEP, {
  name: 'LegalHoldStep',
  description: 'What was done to a legal hold.',
  valuesConfig: {
    set: { description: 'The submission was put under it.' },
    reason_changed: { description: 'It was given another reason.' },
    released: { description: 'It ended.' },
  },
});

@ObjectType('LegalHoldChange', { description: 'A change of the legal hold of a submission.' })
export class LegalHoldChangeType implements LegalHoldChange {
  @Field(() => LEGAL_HOLD_STEP, { description: 'What was done.' })
  step!: LegalHoldChange['step'];

  @Field(() => Date, { description: 'When.' })
  changedAt!: Date;

  @Field(() => ID, {
    nullable: true,
    description: 'Account that made the change; null when it has been deleted.',
  })
  changedById!: number | null;

  @Field(() => String, { nullable: true, description: 'Name of who did it.' })
  changedByName!: string | null;

  @Field(() => AuditChannel, { description: 'The channel through which it came.' })
  channel!: AuditChannel;
}

@ObjectType('SubmissionSummary', {
  simpleResolvers: true,
  description: 'A submission in a line of a list, from the fields of its form.',
})
export class SubmissionSummaryType implements Summary {
  @Field(() => String, {
    nullable: true,
    description:
      'Who sent it: the name, else company, e-mail address or telephone number; null when none was sent. Up to 80 characters.',
  })
  title!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'What it is about: topic and message, else the other values; null when there are none. Up to 160 characters.',
  })
  excerpt!: string | null;
}

@ObjectType('LegalHold', {
  description: 'That a submission must be kept: nothing deletes it until the hold is released.',
})
export class LegalHoldType {
  @Field(() => Date, { description: 'Since when.' })
  since!: Date;

  @Field(() => String, { description: 'Why, in the words of the account that set it.' })
  reason!: string;
}

@ObjectType('Submission', { simpleResolvers: true, description: 'A recorded request of a visitor.' })
export class SubmissionType
  implements
    Omit<
      ListedSubmission,
      | 'values'
      | 'consents'
      | 'attribution'
      | 'undeclared'
      | 'notification'
      | 'legalHoldAt'
      | 'legalHoldReason'
    >
{
  @Field(() => ID, { description: 'The `lead_id` that the submit endpoint answered.' })
  id!: string;

  @Field(() => ID, { description: 'Team that it was sent to.' })
  teamId!: number;

  @Field(() => ID, { description: 'Website that it came from.' })
  websiteId!: string;

  @Field(() => ID, { description: 'Form that was sent.' })
  formId!: number;

  @Field(() => Int, {
    description:
      'Version of the form that the visitor saw, with the texts of `consents`; the current one then where it is not known.',
  })
  formVersion!: number;

  @Field(() => Int, {
    nullable: true,
    description:
      'Version that the form had when it was sent, which validated the values; null: the version that the visitor saw is not known.',
  })
  currentFormVersion!: number | null;

  @Field(() => String, { description: 'Language of the submission.' })
  locale!: string;

  @Field(() => SubmissionState, { description: 'How far it is handled.' })
  state!: SubmissionState;

  @Field(() => Date, {
    nullable: true,
    description: 'When its state was last changed; null: never.',
  })
  stateChangedAt!: Date | null;

  @Field(() => ID, { nullable: true, description: 'Account of who gave it its state.' })
  stateChangedById!: number | null;

  @Field(() => GraphQLJSONObject, { description: 'What was sent beyond the fields of the form, as it came.' })
  undeclared!: unknown;

  @Field(() => String, { nullable: true, description: 'Address of the page with the form.' })
  pageUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'Title of that page.' })
  pageTitle!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Language of that page, as its `lang` attribute declares it.',
  })
  pageLocale!: string | null;

  @Field(() => String, { nullable: true, description: 'Key of the captcha step that admitted it.' })
  captchaKey!: string | null;

  @Field(() => CaptchaGround, { description: 'On what ground it was admitted.' })
  captchaGround!: CaptchaGround;

  @Field(() => Boolean, { description: 'Whether it was let through without a verdict of the captcha.' })
  needsReview!: boolean;

  @Field(() => ID, { nullable: true, description: 'The integration token that sent it, when one did.' })
  tokenId!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The `X-Request-Id` of the request that sent it; null when an earlier version recorded it.',
  })
  requestId!: string | null;

  @Field(() => [String], { description: 'Lower-case addresses of the e-mail fields.' })
  emails!: string[];

  @Field(() => Date, { description: 'When it was recorded.' })
  createdAt!: Date;
}

export const SubmissionConnection = connectionOf(SubmissionType, 'Submission');
