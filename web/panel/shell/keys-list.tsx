import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { useShownKeys } from '../parts/keyboard/keys.js';
import { Dialog, DialogActions } from '../parts/overlays/dialog.js';
import type { TextId } from '../texts/text-id.js';
import styles from './keys-list.module.css';

/** What is written on the keys that are not named by their character. */
const CAPTIONS: Readonly<Record<string, TextId>> = { Enter: 'keys.enter', Escape: 'keys.escape' };

/** Lists the keys that work on the page. */
export function KeysList({ onClose }: { onClose(): void }) {
  const t = useText();
  const keys = useShownKeys();
  const captionOf = (key: string) =>
    CAPTIONS[key]
      ? t(CAPTIONS[key])
      : key.replace('Ctrl+', navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl+');
  return (
    <Dialog title={t('keys.title')} isOpen onClose={onClose}>
      <dl className={styles.keys}>
        {keys.map(({ key, text }) => (
          <div key={key}>
            <dt>
              <kbd>{captionOf(key)}</kbd>
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
