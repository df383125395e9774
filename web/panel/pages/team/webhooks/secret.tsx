import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { Code } from '../../../parts/layout/code.js';
import { DialogActions } from '../../../parts/overlays/dialog.js';

/** The secret of a webhook, in a dialog. Only its button closes that, since the secret is shown once. */
export function Secret({ secret, onKept }: { secret: string; onKept(): void }) {
  const t = useText();
  return (
    <>
      <p>{t('webhooks.secretOnce')}</p>
      <Code text={secret} copyLabel={t('webhooks.copySecret')} />
      <DialogActions>
        <Button variant="primary" onPress={onKept}>
          {t('webhooks.secretKept')}
        </Button>
      </DialogActions>
    </>
  );
}
