import { useText } from '../../../language.js';
import { Button } from '../../../parts/button.js';
import { Code } from '../../../parts/code.js';
import { Dialog, DialogActions } from '../../../parts/dialog.js';

/** The secret of a webhook. Only its button closes it, since it is shown once. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose(): void }) {
  const t = useText();
  return (
    <Dialog title={t('webhooks.secret')} isOpen>
      <p>{t('webhooks.secretOnce')}</p>
      <Code text={secret} copyLabel={t('webhooks.copySecret')} />
      <DialogActions>
        <Button variant="primary" onPress={onClose}>
          {t('webhooks.secretKept')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
