import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { HiddenUsername } from '../../parts/fields/hidden-username.js';
import { PasswordField, TextField } from '../../parts/fields/text-field.js';
import { Form } from '../../parts/form/form.js';
import { Section } from '../../parts/layout/page.js';
import { Dialog, DialogButtons } from '../../parts/overlays/dialog.js';
import { say } from '../../parts/overlays/toasts.js';
import { useViewer } from '../../session.js';
import styles from '../account.module.css';

const REQUEST_EMAIL = graphql(`
  mutation requestEmailChange($email: String!, $password: String!) {
    requestEmailChange(email: $email, password: $password)
  }
`);

/** The e-mail of the account, which is changed by a link to the new address. */
export function Email() {
  const t = useText();
  const viewer = useViewer();
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title={t('login.email')}>
      <div className={styles.line}>
        <span>{viewer.email}</span>
        <Button onPress={() => setOpen(true)}>{t('account.changeEmail')}</Button>
      </div>
      {isOpen && <EmailDialog onClose={() => setOpen(false)} />}
    </Section>
  );
}

function EmailDialog({ onClose }: { onClose(): void }) {
  const t = useText();
  const viewer = useViewer();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () => request(REQUEST_EMAIL, { email, password }),
    onSuccess: () => {
      say(t('account.emailSent', { email }));
      onClose();
    },
  });
  return (
    <Dialog title={t('account.changeEmail')} isOpen onClose={onClose} isPending={change.isPending}>
      <Form
        onSubmit={change.mutate}
        error={change.error}
        fieldErrors={({ fields }) => ({
          email: fields.email && t('field.email'),
          password: fields.password && t('account.passwordWrong'),
        })}
      >
        <p>{t('account.emailText')}</p>
        <TextField
          name="email"
          label={t('account.newEmail')}
          type="email"
          autoComplete="off"
          isRequired
          autoFocus
          value={email}
          onChange={setEmail}
          validate={(typed) => (typed.toLowerCase() === viewer.email ? t('field.ownEmail') : null)}
        />
        <HiddenUsername email={viewer.email} />
        <PasswordField
          name="password"
          label={t('account.currentPassword')}
          value={password}
          onChange={setPassword}
        />
        <DialogButtons action={t('action.sendLink')} />
      </Form>
    </Dialog>
  );
}
