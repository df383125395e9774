import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { PanelContext } from '../../graphql/context.js';
import { SpamVerdictType } from '../../spam/spam.type.js';
import type { SpamVerdicts } from '../../spam/verdicts.service.js';
import { SubmissionType } from './submission.type.js';

type Services = Readonly<{ spamVerdicts: SpamVerdicts }>;

@Resolver(() => SubmissionType)
export class SpamVerdictsResolver {
  constructor(private readonly services: Services) {}

  @FieldResolver(() => SpamVerdictType, {
    nullable: true,
    description: 'How it was judged before its e-mail went; null: it was not, or nothing spoke for spam.',
    complexity: 5,
  })
  spamVerdict(
    @Root() { id }: Pick<SubmissionType, 'id'>,
    @Ctx() { load }: PanelContext,
  ): Promise<SpamVerdictType | null> {
    return load(this.services.spamVerdicts.bySubmissions, id);
  }
}
