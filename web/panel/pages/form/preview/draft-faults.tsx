import { useText } from '../../../language.js';
import { useFaultWords } from '../../../parts/fault-words.js';
import { type Faults, namedSteps } from '../faults.js';
import { usePlaceWords } from '../place-words.js';
import type { FormDraft } from '../queries.js';
import styles from './preview.module.css';

/** Most faults that are listed; saving the form lists them as well. */
const MAX_LISTED = 5;

/** Says why the draft cannot be shown. */
export function DraftFaults({ faults, draft }: { faults: Faults; draft: FormDraft }) {
  const t = useText();
  const placeWords = usePlaceWords(draft);
  const found = Object.entries(useFaultWords()(faults));
  return (
    <div role="status" className={styles.faults}>
      <p>{t('form.preview.faults', { count: found.length })}</p>
      <ul>
        {found.slice(0, MAX_LISTED).map(([path, words]) => (
          <li key={path}>
            <strong dir="auto">{placeWords(namedSteps(path, draft))}</strong>
            {' · '}
            {words}
          </li>
        ))}
      </ul>
    </div>
  );
}
