import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { say } from '../../../parts/overlays/toasts.js';
import { REGENERATE_KEY, type Website } from '../queries.js';

/** Gives a website a new signature key. */
export function SignatureKey({ website: { id, name } }: { website: Website }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const regenerate = useMutation({
    mutationFn: () => request(REGENERATE_KEY, { id }),
    onSuccess: () => {
      setOpen(false);
      say(t('website.keyReplaced', { name }));
    },
  });
  return (
    <>
      <p>{t('website.keyText')}</p>
      <Button onPress={() => setOpen(true)}>{t('website.newKey')}</Button>
      <Dialog
        title={t('website.newKey')}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        isPending={regenerate.isPending}
      >
        <p>{t('website.newKeyText')}</p>
        {regenerate.error && <ErrorBox error={regenerate.error} />}
        <DialogButtons action={t('website.newKey')} variant="danger" onPress={() => regenerate.mutate()} />
      </Dialog>
    </>
  );
}
