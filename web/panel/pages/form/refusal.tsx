import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { useFaultWords } from '../../parts/form/fault-words.js';
import { AlertIcon } from '../../parts/icons/alert-icon.js';
import type { Faults } from './faults.js';
import { namedSteps } from './faults.js';
import { usePlaceWords } from './place-words.js';
import type { FormDraft } from './queries.js';
import styles from './refusal.module.css';

/** Maximum number of faults that are listed; the others are marked in their tabs. */
const MAX_SHOWN = 8;

type Props = Readonly<{ draft: FormDraft; faults: Faults; onOpen(path: string): void }>;

/** Says that a form was not saved, and leads to each thing that is wrong with it. */
export function Refusal({ draft, faults, onOpen }: Props) {
  const t = useText();
  const faultWords = useFaultWords();
  const placeWords = usePlaceWords(draft);
  const found = Object.entries(faultWords(faults));
  return (
    <div role="alert" className={styles.refusal}>
      <AlertIcon />
      <div>
        <p>{t('form.refused', { count: found.length })}</p>
        <ul>
          {found.slice(0, MAX_SHOWN).map(([path, message]) => (
            <li key={path}>
              <Button variant="quiet" onPress={() => onOpen(path)}>
                {placeWords(namedSteps(path, draft))}
              </Button>{' '}
              {message}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
