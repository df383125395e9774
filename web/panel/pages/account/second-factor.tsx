import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { HiddenUsername } from '../../parts/fields/hidden-username.js';
import { PasswordField } from '../../parts/fields/text-field.js';
import { Form, FormActions } from '../../parts/form/form.js';
import { Section } from '../../parts/layout/page.js';
import { Dialog, DialogActions, DialogButtons } from '../../parts/overlays/dialog.js';
import { say } from '../../parts/overlays/toasts.js';
import { AppSecret } from '../../parts/second-factor/app-secret.js';
import { CodeField } from '../../parts/second-factor/code-field.js';
import { RecoveryCodes } from '../../parts/second-factor/recovery-codes.js';
import { Moment } from '../../parts/time/moment.js';
import { CONFIRM, START } from '../../second-factor.js';
import { useViewer } from '../../session.js';

const STATE = graphql(`
  query secondFactor {
    me {
      secondFactor {
        enabledAt
        recoveryCodesLeft
        required
      }
    }
  }
`);

const RENEW = graphql(`
  mutation renewRecoveryCodes($code: String!) {
    renewRecoveryCodes(code: $code)
  }
`);

const REMOVE = graphql(`
  mutation removeSecondFactor($code: String!) {
    removeSecondFactor(code: $code)
  }
`);

const KEY = ['secondFactor'];

type Task = 'enrol' | 'renew' | 'remove';

/** The authenticator app of the account: whether it has one, and what can be done about it. */
export function SecondFactor() {
  const t = useText();
  const client = useQueryClient();
  const [task, setTask] = useState<Task | null>(null);
  const state = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await request(STATE, {}, signal)).me?.secondFactor ?? null,
  });
  const close = () => {
    setTask(null);
    void client.invalidateQueries({ queryKey: KEY });
  };
  return (
    <Section title={t('secondFactor.title')}>
      <Loaded query={state}>
        {(found) =>
          found?.enabledAt ? (
            <>
              <p>
                {t('secondFactor.on')} <Moment at={found.enabledAt} />
                {' · '}
                {t('secondFactor.left', { count: found.recoveryCodesLeft })}
              </p>
              {found.required && <p>{t('secondFactor.kept')}</p>}
              <FormActions>
                <Button onPress={() => setTask('renew')}>{t('secondFactor.renew')}</Button>
                {!found.required && (
                  <Button variant="danger" onPress={() => setTask('remove')}>
                    {t('secondFactor.remove')}
                  </Button>
                )}
              </FormActions>
            </>
          ) : (
            <>
              <p>{t('secondFactor.off')}</p>
              <FormActions>
                <Button onPress={() => setTask('enrol')}>{t('secondFactor.setUp')}</Button>
              </FormActions>
            </>
          )
        }
      </Loaded>
      {task === 'enrol' && <Enrolment onClose={close} />}
      {task === 'renew' && <Renewal onClose={close} />}
      {task === 'remove' && <Removal onClose={close} />}
    </Section>
  );
}

type Props = { onClose(): void };

/** Shows recovery codes in a dialog. Only its button closes that, since they are shown once. */
function Codes({ codes, onKept }: { codes: readonly string[]; onKept(): void }) {
  const t = useText();
  return (
    <>
      <RecoveryCodes codes={codes} />
      <DialogActions>
        <Button variant="primary" onPress={onKept}>
          {t('secondFactor.kept.button')}
        </Button>
      </DialogActions>
    </>
  );
}

function Enrolment({ onClose }: Props) {
  const t = useText();
  const title = t('secondFactor.setUp');
  const { email } = useViewer();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const start = useMutation({
    mutationFn: async () => (await request(START, { password })).startSecondFactor,
    // What is shown once is in no cache once the dialog is closed.
    gcTime: 0,
  });
  const confirm = useMutation({
    mutationFn: async () => (await request(CONFIRM, { code })).confirmSecondFactor,
    gcTime: 0,
  });
  if (confirm.data) {
    return (
      <Dialog title={title} isOpen>
        <Codes codes={confirm.data} onKept={onClose} />
      </Dialog>
    );
  }
  if (start.data) {
    return (
      <Dialog title={title} isOpen onClose={onClose} isPending={confirm.isPending}>
        <CodeForm
          code={code}
          onChange={setCode}
          change={confirm}
          button={t('secondFactor.confirm')}
          inputMode="numeric"
        >
          <AppSecret secret={start.data} />
        </CodeForm>
      </Dialog>
    );
  }
  return (
    <Dialog title={title} isOpen onClose={onClose} isPending={start.isPending}>
      <Form
        onSubmit={start.mutate}
        error={start.error}
        fieldErrors={({ fields }) => ({ password: fields.password && t('account.passwordWrong') })}
      >
        <p>{t('secondFactor.setUpText')}</p>
        <HiddenUsername email={email} />
        <PasswordField
          name="password"
          label={t('account.currentPassword')}
          autoFocus
          value={password}
          onChange={setPassword}
        />
        <DialogButtons action={t('secondFactor.next')} />
      </Form>
    </Dialog>
  );
}

type Change = Readonly<{ mutate(): void; error: Error | null }>;

type CodeFormProps = {
  code: string;
  onChange(code: string): void;
  change: Change;
  button: string;
  isDangerous?: boolean;
  inputMode?: 'numeric';
  children: ReactNode;
};

/** Asks for a code in a dialog before a change is made. */
function CodeForm(props: CodeFormProps) {
  const { code, onChange, change, button, isDangerous, inputMode, children } = props;
  const t = useText();
  return (
    <Form
      onSubmit={() => change.mutate()}
      error={change.error}
      fieldErrors={({ fields }) => ({ code: fields.code && t('login.codeWrong') })}
    >
      {children}
      <CodeField value={code} onChange={onChange} inputMode={inputMode} />
      <DialogButtons action={button} variant={isDangerous ? 'danger' : 'primary'} />
    </Form>
  );
}

function Renewal({ onClose }: Props) {
  const t = useText();
  const title = t('secondFactor.renew');
  const [code, setCode] = useState('');
  const renew = useMutation({
    mutationFn: async () => (await request(RENEW, { code })).renewRecoveryCodes,
    gcTime: 0,
  });
  if (renew.data) {
    return (
      <Dialog title={title} isOpen>
        <Codes codes={renew.data} onKept={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={title} isOpen onClose={onClose} isPending={renew.isPending}>
      <CodeForm code={code} onChange={setCode} change={renew} button={title}>
        <p>{t('secondFactor.renewText')}</p>
      </CodeForm>
    </Dialog>
  );
}

function Removal({ onClose }: Props) {
  const t = useText();
  const title = t('secondFactor.remove');
  const [code, setCode] = useState('');
  const remove = useMutation({
    mutationFn: () => request(REMOVE, { code }),
    onSuccess: () => {
      say(t('secondFactor.removed'));
      onClose();
    },
  });
  return (
    <Dialog title={title} isOpen onClose={onClose} isPending={remove.isPending}>
      <CodeForm code={code} onChange={setCode} change={remove} button={title} isDangerous>
        <p>{t('secondFactor.removeText')}</p>
      </CodeForm>
    </Dialog>
  );
}
