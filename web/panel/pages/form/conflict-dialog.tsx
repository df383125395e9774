import { useState } from 'react';
import { Label, Radio, RadioGroup } from 'react-aria-components';
import { useText } from '../../language.js';
import { Note } from '../../parts/feedback/note.js';
import { type Choices, type Collision, pathKey, type Side } from '../../parts/merge/merge.js';
import { Dialog, DialogButtons } from '../../parts/overlays/dialog.js';
import styles from './conflict-dialog.module.css';
import { usePlaceWords } from './place-words.js';
import type { FormDraft } from './queries.js';
import type { SaveConflict } from './saving.js';
import { useValueWords } from './value-words.js';

type Props = Readonly<{ conflict: SaveConflict; onDecide(choices: Choices): void; onClose(): void }>;

const SIDES: readonly Side[] = ['mine', 'theirs'];

/** Shows what another has changed differently meanwhile, side by side, and asks which holds. */
export function ConflictDialog({ conflict, onDecide, onClose }: Props) {
  const t = useText();
  const [choices, setChoices] = useState<Choices>({});
  const { collisions, draft, theirs } = conflict;
  return (
    <Dialog title={t('meeting.title')} isOpen onClose={onClose}>
      <Note>{t('meeting.text', { count: collisions.length })}</Note>
      <ul className={styles.collisions}>
        {collisions.map((collision) => {
          const key = pathKey(collision.path);
          return (
            <li key={key}>
              <Choice
                collision={collision}
                drafts={{ mine: draft, theirs: theirs.content }}
                chosen={choices[key]}
                onChoose={(side) => setChoices({ ...choices, [key]: side })}
              />
            </li>
          );
        })}
      </ul>
      <DialogButtons
        action={t('action.save')}
        isDisabled={collisions.some(({ path }) => !choices[pathKey(path)])}
        onPress={() => onDecide(choices)}
      />
    </Dialog>
  );
}

type ChoiceProps = Readonly<{
  collision: Collision;
  drafts: Readonly<Record<Side, FormDraft>>;
  chosen: Side | undefined;
  onChoose(side: Side): void;
}>;

function Choice({ collision, drafts, chosen, onChoose }: ChoiceProps) {
  const t = useText();
  const placeWords = usePlaceWords(drafts.mine.fields.length > 0 ? drafts.mine : drafts.theirs);
  const valueWords = useValueWords();
  return (
    <RadioGroup className={styles.choice!} value={chosen ?? null} onChange={(side) => onChoose(side as Side)}>
      <Label className={styles.place}>{placeWords(collision.path)}</Label>
      <div className={styles.sides}>
        {SIDES.map((side) => (
          <Radio key={side} value={side} className={styles.side!}>
            <span className={styles.whose}>{t(`meeting.${side}`)}</span>
            <span className={styles.value}>{valueWords(collision[side], drafts[side])}</span>
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
