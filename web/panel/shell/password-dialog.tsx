import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { PANEL } from '../address.js';
import { GatewayError, send, setPasswordPrompt } from '../graphql.js';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { HiddenUsername } from '../parts/fields/hidden-username.js';
import { PasswordField } from '../parts/fields/text-field.js';
import { Form } from '../parts/form/form.js';
import { Dialog, DialogActions } from '../parts/overlays/dialog.js';
import { CodeField } from '../parts/second-factor/code-field.js';
import { CONFIRM_LOGIN, readLoginStep } from '../second-factor.js';
import { LOGIN, useViewer } from '../session.js';
import { tellSession } from '../session-channel.js';

/** An ended session, and what waits for the next one. */
type Ended = Readonly<{ promise: Promise<void>; resolve(): void }>;

/**
 * Asks for the password when the session has ended or is another account's, over the page as it is; what was refused is
 * then sent again. The page keeps what was typed, but cannot be read: who has logged out may have left.
 */
export function PasswordDialog() {
  const t = useText();
  const { email } = useViewer();
  const ended = useRef<Ended | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [other, setOther] = useState<string>();
  const [password, setPassword] = useState('');
  const client = useQueryClient();
  const [needsCode, setNeedsCode] = useState(false);
  const [code, setCode] = useState('');

  const askPassword = useCallback(() => {
    setNeedsCode(false);
    setCode('');
  }, []);

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
      resume();
      // The new session views as no client.
      tellSession();
    },
    onError: (error) => {
      // The gateway waits for a code only so long.
      if (error instanceof GatewayError && error.code === 'UNAUTHENTICATED') askPassword();
    },
  });
  const { reset } = login;
  const resume = useCallback(() => {
    setOpen(false);
    askPassword();
    setPassword('');
    // A refusal that came before another tab has logged in.
    reset();
    ended.current?.resolve();
    ended.current = null;
  }, [askPassword, reset]);

  useEffect(() => {
    setPasswordPrompt({
      ask(account) {
        setOther(account);
        setOpen(true);
        ended.current ??= Promise.withResolvers<void>();
        return ended.current.promise;
      },
      resume,
    });
    return () => setPasswordPrompt(null);
  }, [resume]);

  return (
    <Dialog title={t('expired.title')} isOpen={isOpen} isOpaque>
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
        <p>{other ? t('expired.another', { email, other }) : t('expired.text', { email })}</p>
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
          <Button variant="quiet" onPress={() => location.assign(other ? PANEL : `${PANEL}login`)}>
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
