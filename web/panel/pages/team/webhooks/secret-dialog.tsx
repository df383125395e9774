import { useText } from '../../../language.js';
import { Button } from '../../../parts/button.js';
import { Dialog, DialogActions } from '../../../parts/dialog.js';
import { say } from '../../../parts/toasts.js';
import styles from './webhooks.module.css';

/** The secret of a webhook. Only its button closes it, since it is shown once. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose(): void }) {
  const t = useText();
  // Browsers have no clipboard over http, but on this machine.
  const copy = () =>
    navigator.clipboard?.writeText(secret).then(
      () => say(t('webhooks.secretCopied')),
      () => undefined,
    );
  return (
    <Dialog title={t('webhooks.secret')} isOpen>
      <p>{t('webhooks.secretOnce')}</p>
      <pre className={styles.code} dir="ltr" translate="no">
        <code>{secret}</code>
      </pre>
      <DialogActions>
        <Button onPress={() => void copy()}>{t('webhooks.copySecret')}</Button>
        <Button variant="primary" onPress={onClose}>
          {t('webhooks.secretKept')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
