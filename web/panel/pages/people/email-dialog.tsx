import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useCloseDialog } from '../../close-dialog.js';
import { request } from '../../graphql.js';
import { useText } from '../../language.js';
import { TextField } from '../../parts/fields/text-field.js';
import { Form } from '../../parts/form/form.js';
import { Dialog, DialogButtons } from '../../parts/overlays/dialog.js';
import { say } from '../../parts/overlays/toasts.js';
import { PEOPLE_KEY, type Person, REQUEST_EMAIL } from './queries.js';

/** Sends a link to another address for an account, which changes when the link is followed. */
export function EmailDialog({ person, onClose }: { person: Person; onClose(): void }) {
  const t = useText();
  const [email, setEmail] = useState('');
  const change = useMutation({
    mutationFn: () => request(REQUEST_EMAIL, { id: person.id, email }),
    onSuccess: () => {
      say(t('people.emailSent', { email }));
      onClose();
    },
  });
  const close = useCloseDialog(change, PEOPLE_KEY, onClose);
  return (
    <Dialog title={t('people.changeEmail')} isOpen onClose={close} isPending={change.isPending}>
      <Form
        onSubmit={change.mutate}
        error={change.error}
        fieldErrors={({ fields }) => ({ email: fields.email && t('field.email') })}
      >
        <p>{t('people.emailText', { name: person.name, email: person.email })}</p>
        <TextField
          name="email"
          label={t('people.newEmail')}
          type="email"
          autoComplete="off"
          isRequired
          autoFocus
          value={email}
          onChange={setEmail}
          validate={(typed) => (typed.toLowerCase() === person.email ? t('field.ownEmail') : null)}
        />
        <DialogButtons action={t('action.sendLink')} />
      </Form>
    </Dialog>
  );
}
