import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { PANEL } from '../address.js';
import { GatewayError, onSessionEnd, send } from '../graphql.js';
import { useText } from '../language.js';
import { Button } from '../parts/button.js';
import { Dialog, DialogActions } from '../parts/dialog.js';
import { Form } from '../parts/form.js';
import { HiddenUsername } from '../parts/hidden-username.js';
import { CodeField } from '../parts/second-factor/code-field.js';
import { PasswordField } from '../parts/text-field.js';
import { CONFIRM_LOGIN, readLoginStep } from '../second-factor.js';
import { LOGIN, useViewer } from '../session.js';
import { tellSession } from '../session-channel.js';

/** An ended session, and what waits for the next one. */
type Ended = Readonly<{ promise: Promise<void>; resolve(): void }>;

/** Asks for the password when the session has ended, over the page as it is; what was refused is then sent again. */
export function PasswordDialog() {
  const t = useText();
  const { email } = useViewer();
  const ended = useRef<Ended | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [password, setPassword] = useState('');
  const client = useQueryClient();
  const [needsCode, setNeedsCode] = useState(false);
  const [code, setCode] = useState('');

  useEffect(() => {
    onSessionEnd(() => {
      setOpen(true);
      ended.current ??= Promise.withResolvers<void>();
      return ended.current.promise;
    });
    return () => onSessionEnd(null);
  }, []);

  const askPassword = () => {
    setNeedsCode(false);
    setCode('');
  };

  const login = useMutation({
    mutationFn: async (step: 'password' | 'code') =>
      step === 'code'
        ? (await send(CONFIRM_LOGIN, { code })).confirmLogin
        : (await send(LOGIN, { email, password })).login,
    onSuccess: async (isLoggedIn) => {
      if (!isLoggedIn) {
        // An account that has to set up its second factor does so on the page of the login.
        if ((await readLoginStep(client)) === 'ENROLMENT') location.assign(`${PANEL}login`);
        setNeedsCode(true);
        return;
      }
      setOpen(false);
      askPassword();
      setPassword('');
      // The new session views as no client.
      tellSession();
      ended.current?.resolve();
      ended.current = null;
    },
    onError: (error) => {
      // The gateway waits for a code only so long.
      if (error instanceof GatewayError && error.code === 'UNAUTHENTICATED') askPassword();
    },
  });
  return (
    <Dialog title={t('expired.title')} isOpen={isOpen}>
      <Form
        onSubmit={() => login.mutate(needsCode ? 'code' : 'password')}
        error={login.error}
        fieldErrors={({ code: reason, fields }) => ({
          password:
            !needsCode &&
            reason === 'UNAUTHENTICATED' &&
            t(login.variables === 'code' ? 'login.stepOver' : 'login.wrong'),
          code: needsCode && fields.code && t('login.codeWrong'),
        })}
      >
        <p>{t('expired.text', { email })}</p>
        <HiddenUsername email={email} />
        {needsCode ? (
          <CodeField value={code} onChange={setCode} hint={t('login.codeHint')} />
        ) : (
          <PasswordField
            name="password"
            label={t('login.password')}
            autoFocus
            value={password}
            onChange={setPassword}
          />
        )}
        <DialogActions>
          <Button variant="quiet" onPress={() => location.assign(`${PANEL}login`)}>
            {t('expired.other')}
          </Button>
          {needsCode && (
            <Button
              onPress={() => {
                login.reset();
                askPassword();
              }}
            >
              {t('expired.again')}
            </Button>
          )}
          <Button type="submit" variant="primary" isPending={login.isPending}>
            {t('login.button')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
