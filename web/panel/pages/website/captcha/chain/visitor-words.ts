import type { Sentence } from '../../../../parts/incidents/incident-runs.js';
import type { CaptchaType } from './draft.js';

/** A step as it is talked about; the names of a chain's steps differ. */
export type NamedStep = Readonly<{ type: CaptchaType; name: string; minScore: number | null }>;

/** What a visitor meets: the steps that can come up, each in its turn, and what holds for all of them. */
type VisitorStory = Readonly<{
  introduction: Sentence | null;
  steps: readonly (readonly Sentence[])[];
  rules: readonly Sentence[];
}>;

/** The threshold of a scored step that has none of its own. */
export const USUAL_SCORE = 0.5;

const isProof = ({ type }: NamedStep): boolean => type === 'altcha';

/** Says how a step works for a visitor. */
const manner = ({ type, minScore }: NamedStep): Sentence => ({
  id: `chain.manner.${type}`,
  ...(type.startsWith('recaptcha') && { values: { score: minScore ?? USUAL_SCORE } }),
});

/**
 * Puts into words what a visitor of a website with this chain meets.
 *
 * A step takes the place of the one before only when that is not available, so none after a proof of work is ever
 * asked: the gateway itself verifies it. See `decideOn` of the gateway and `stepAfter` of the visitors' script.
 *
 * @param proofByDefault whether the installation asks for a proof of work where a chain is empty.
 */
export function visitorStory(
  chain: readonly NamedStep[],
  { proofByDefault, proofName }: { proofByDefault: boolean; proofName: string },
): VisitorStory {
  if (chain.length === 0) {
    if (!proofByDefault) return { introduction: { id: 'chain.story.none' }, steps: [], rules: [] };
    const proof: NamedStep = { type: 'altcha', name: proofName, minScore: null };
    return {
      ...visitorStory([proof], { proofByDefault, proofName }),
      introduction: { id: 'chain.story.default' },
    };
  }
  const proofAt = chain.findIndex(isProof);
  const asked = proofAt === -1 ? chain : chain.slice(0, proofAt + 1);
  const idle = chain.slice(asked.length);
  const remote = asked.filter((step) => !isProof(step));
  const [first] = asked;
  const last = asked.at(-1)!;
  return {
    introduction: null,
    steps: asked.map((step, index) => [
      index === 0
        ? { id: 'chain.story.first', values: { step: step.name, type: step.type } }
        : {
            id: 'chain.story.next',
            values: { step: step.name, type: step.type, before: asked[index - 1]!.name },
          },
      manner(step),
    ]),
    rules: [
      { id: 'chain.story.refused', values: { count: asked.length } },
      ...(remote.length > 0 ? [{ id: 'chain.story.unavailable' } as const] : []),
      isProof(last)
        ? { id: 'chain.story.closed' }
        : { id: 'chain.story.passThrough', values: { step: last.name, count: asked.length } },
      ...(first && !isProof(first)
        ? [
            {
              id: proofAt === -1 ? 'chain.story.blocked' : 'chain.story.blockedProof',
              values: { step: first.name },
            } as const,
          ]
        : []),
      ...(isProof(last) ? [{ id: 'chain.story.https' } as const] : []),
      ...idle.map((step) => ({ id: 'chain.story.idle', values: { step: step.name } }) as const),
    ],
  };
}
