import { useText } from '../../../../language.js';
import type { Sentence } from '../../../../parts/incidents/incident-runs.js';
import { readScore, type StepDraft } from './draft.js';
import styles from './visitor-view.module.css';
import { visitorStory } from './visitor-words.js';

type Props = {
  steps: readonly StepDraft[];
  proofByDefault: boolean;
  nameOf(step: StepDraft): string;
};

/** What a visitor meets, as the chain stands in the editor. */
export function VisitorView({ steps, proofByDefault, nameOf }: Props) {
  const t = useText();
  const named = steps.map((step) => ({
    type: step.type,
    name: nameOf(step),
    minScore: readScore(step.minScore) ?? null,
  }));
  const story = visitorStory(named, { proofByDefault, proofName: t('step.type.altcha') });
  const say = ({ id, values }: Sentence) => t(id, values);
  return (
    <div className={styles.story}>
      {story.introduction && <p>{say(story.introduction)}</p>}
      <ol className={styles.steps}>
        {story.steps.map((sentences, index) => (
          <li key={named[index]?.name ?? index}>{sentences.map(say).join(' ')}</li>
        ))}
      </ol>
      <ul className={styles.rules}>
        {story.rules.map((rule) => (
          <li key={JSON.stringify(rule)}>{say(rule)}</li>
        ))}
      </ul>
    </div>
  );
}
