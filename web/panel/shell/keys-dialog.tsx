import { useEffect, useState } from 'react';
import { useText } from '../language.js';
import { Button } from '../parts/button.js';
import { Dialog, DialogActions } from '../parts/dialog.js';
import { onShowKeys, useKeys, useShownKeys } from '../parts/keys.js';
import styles from './keys-dialog.module.css';

/** The list of the keys that work on the page; `?` opens it. */
export function KeysDialog() {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const keys = useShownKeys();
  useKeys([{ key: '?', text: t('keys.help'), run: () => setOpen(true) }]);
  useEffect(() => {
    onShowKeys(() => setOpen(true));
    return () => onShowKeys(null);
  }, []);
  return (
    <Dialog title={t('keys.title')} isOpen={isOpen} onClose={() => setOpen(false)}>
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
        <Button onPress={() => setOpen(false)}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
