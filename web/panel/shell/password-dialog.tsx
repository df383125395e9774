import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { PANEL } from '../address.js';
import { onSessionEnd, send } from '../graphql.js';
import { useText } from '../language.js';
import { Button } from '../parts/button.js';
import { Dialog, DialogActions } from '../parts/dialog.js';
import { Form } from '../parts/form.js';
import { HiddenUsername } from '../parts/hidden-username.js';
import { PasswordField } from '../parts/text-field.js';
import { LOGIN, useViewer } from '../session.js';

/** An ended session, and what waits for the next one. */
type Ended = Readonly<{ promise: Promise<void>; resolve(): void }>;

/** Asks for the password when the session has ended, over the page as it is; what was refused is then sent again. */
export function PasswordDialog() {
  const t = useText();
  const { email } = useViewer();
  const ended = useRef<Ended | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [password, setPassword] = useState('');

  useEffect(() => {
    onSessionEnd(() => {
      setOpen(true);
      ended.current ??= Promise.withResolvers<void>();
      return ended.current.promise;
    });
    return () => onSessionEnd(null);
  }, []);

  const login = useMutation({
    mutationFn: () => send(LOGIN, { email, password }),
    onSuccess: () => {
      setOpen(false);
      setPassword('');
      ended.current?.resolve();
      ended.current = null;
    },
  });
  return (
    <Dialog title={t('expired.title')} isOpen={isOpen}>
      <Form
        onSubmit={login.mutate}
        error={login.error}
        fieldErrors={({ code }) => ({ password: code === 'UNAUTHENTICATED' && t('login.wrong') })}
      >
        <p>{t('expired.text', { email })}</p>
        <HiddenUsername email={email} />
        <PasswordField
          name="password"
          label={t('login.password')}
          autoFocus
          value={password}
          onChange={setPassword}
        />
        <DialogActions>
          <Button variant="quiet" onPress={() => location.assign(`${PANEL}login`)}>
            {t('expired.other')}
          </Button>
          <Button type="submit" variant="primary" isPending={login.isPending}>
            {t('login.button')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
