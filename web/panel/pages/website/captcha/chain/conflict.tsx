import { useText } from '../../../../language.js';
import { Button } from '../../../../parts/button.js';
import { FormActions } from '../../../../parts/form.js';
import { nameKey } from '../../../../parts/step-name.js';
import type { StoredChain } from '../queries.js';
import styles from './conflict.module.css';

type Props = { stored: StoredChain; isPending: boolean; onTakeOver(): void; onOverwrite(): void };

/** Says that another viewer has saved the chain in the meantime, and what it is now; either of both can be kept. */
export function Conflict({ stored, isPending, onTakeOver, onOverwrite }: Props) {
  const t = useText();
  const keys = stored.steps.map(({ key }) => key);
  return (
    <div role="alert" className={styles.conflict}>
      <p>{t('chain.conflict')}</p>
      <ol className={styles.steps}>
        {keys.map((key) => (
          <li key={key}>{nameKey(key, keys, t)}</li>
        ))}
      </ol>
      {keys.length === 0 && <p>{t('chain.steps.none')}</p>}
      <FormActions>
        <Button onPress={onTakeOver}>{t('chain.conflict.theirs')}</Button>
        <Button onPress={onOverwrite} isPending={isPending}>
          {t('chain.conflict.mine')}
        </Button>
      </FormActions>
    </div>
  );
}
