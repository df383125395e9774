import { useText } from '../language.js';
import styles from './form-preview.module.css';

/** Most faults that are listed; saving lists them as well. */
const MAX_LISTED = 5;

/** A fault of a draft; without a place its words say what they are about. */
type FaultInWords = Readonly<{ path: string; place?: string; words: string }>;

/** Says why a draft cannot be shown. */
export function FaultList({ faults }: { faults: readonly FaultInWords[] }) {
  const t = useText();
  return (
    <div role="status" className={styles.faults}>
      <p>{t('preview.faults', { count: faults.length })}</p>
      <ul>
        {faults.slice(0, MAX_LISTED).map(({ path, place, words }) => (
          <li key={path}>
            {place !== undefined && (
              <>
                <strong dir="auto">{place}</strong>
                {' · '}
              </>
            )}
            {words}
          </li>
        ))}
      </ul>
    </div>
  );
}
