import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { listCost } from '../graphql/cost.js';
import { enumOf } from '../graphql/enum-of.js';
import {
  FINDINGS,
  PROBE_STEPS,
  type ProbeFinding,
  type ProbeStep,
  type ProbeStepName,
} from './probe-step.js';
import type { ListedProbe } from './probes.service.js';

const ProbeStepNameType = enumOf(PROBE_STEPS);
const ProbeFindingType = enumOf(Object.keys(FINDINGS) as ProbeFinding[]);

registerEnumType(ProbeStepNameType, {
  name: 'ProbeStepName',
  description: 'A step of a probe, as a visitor’s page goes through them.',
  valuesConfig: {
    page: { description: 'The website’s address answers, and its page loads the script for the website.' },
    configuration: { description: 'The gateway gives the form’s definition, and the probe fills it in.' },
    signature: { description: 'The gateway issues a signature.' },
    captcha: { description: 'The gateway gives the captcha chain, and its proof of work is solved.' },
    recorded: { description: 'The submission is accepted and recorded, as a test lead.' },
    email: { description: 'The mail server accepts the e-mail.' },
  },
});

registerEnumType(ProbeFindingType, {
  name: 'ProbeFinding',
  description: 'What a step of a probe has found.',
  valuesConfig: Object.fromEntries(
    Object.entries(FINDINGS).map(([finding, description]) => [finding, { description }]),
  ) as Record<ProbeFinding, { description: string }>,
});

@ObjectType('ProbeStep', { simpleResolvers: true, description: 'A step of a probe that has ended.' })
export class ProbeStepType implements ProbeStep {
  @Field(() => ProbeStepNameType, { description: 'Which step it is.' })
  name!: ProbeStepName;

  @Field(() => Boolean, { description: 'Whether it passed.' })
  ok!: boolean;

  @Field(() => Int, { description: 'How long it took, in milliseconds.' })
  ms!: number;

  @Field(() => ProbeFindingType, {
    nullable: true,
    description: 'What it found; null when all is as it should be.',
  })
  finding!: ProbeFinding | null;

  @Field(() => String, {
    nullable: true,
    description: 'The words of a server, or the address, form or captcha step that it is about.',
  })
  detail!: string | null;
}

@ObjectType('Probe', {
  simpleResolvers: true,
  description:
    'A test of a website, from its page to the e-mail, by a test lead through the public endpoints.',
})
export class ProbeType
  implements Pick<ListedProbe, 'id' | 'ok' | 'startedAt' | 'finishedAt' | 'certificateExpiresAt'>
{
  @Field(() => ID, { description: 'Identifies the probe.' })
  id!: string;

  @Field(() => Boolean, { nullable: true, description: 'Whether every step passed; null while it runs.' })
  ok!: boolean | null;

  @Field(() => Date, { description: 'When it began.' })
  startedAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When it ended.' })
  finishedAt!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'When the certificate of the page expires; null: it has none, or gave no whole answer.',
  })
  certificateExpiresAt!: Date | null;

  @Field(() => [ProbeStepType], {
    description:
      'The steps that have ended, in their order. Steps that a failed one made impossible are not there.',
    complexity: listCost(PROBE_STEPS.length),
  })
  steps!: readonly ProbeStepType[];
}
