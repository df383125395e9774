import { useText } from '../language.js';
import { Button } from '../parts/button.js';
import { Dialog, DialogActions } from '../parts/dialog.js';
import { useShownKeys } from '../parts/keys.js';
import styles from './keys-list.module.css';

/** Lists the keys that work on the page. */
export function KeysList({ onClose }: { onClose(): void }) {
  const t = useText();
  const keys = useShownKeys();
  return (
    <Dialog title={t('keys.title')} isOpen onClose={onClose}>
      <dl className={styles.keys}>
        {keys.map(({ key, text }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <DialogActions>
        <Button onPress={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
