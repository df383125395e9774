import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { say } from '../../../parts/overlays/toasts.js';
import { UPDATE, type Website } from '../queries.js';

/** Disables a website once it is said what that does, or enables it. */
export function Disabling({ website: { id, name, disabled, team } }: { website: Website }) {
  const t = useText();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const update = useMutation({
    mutationFn: () => request(UPDATE, { id, input: { disabled: !disabled } }),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['website', id] }),
        client.invalidateQueries({ queryKey: ['websites'] }),
      ]);
      setOpen(false);
      say(t(disabled ? 'website.isEnabled' : 'website.isDisabled', { name }));
    },
  });
  if (disabled) {
    return (
      <>
        <p>{t(team.active ? 'website.disabledText' : 'website.suspendedText')}</p>
        <Button onPress={() => update.mutate()} isPending={update.isPending}>
          {t('website.enable')}
        </Button>
        {update.error && <ErrorBox error={update.error} />}
      </>
    );
  }
  return (
    <>
      <p>{t(team.active ? 'website.enabledText' : 'website.suspendedText')}</p>
      <Button onPress={() => setOpen(true)}>{t('website.disable')}</Button>
      <Dialog
        title={t('website.disableTitle', { name })}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        isPending={update.isPending}
      >
        <p>{t('website.disableText')}</p>
        {update.error && <ErrorBox error={update.error} />}
        <DialogButtons action={t('website.disable')} variant="danger" onPress={() => update.mutate()} />
      </Dialog>
    </>
  );
}
