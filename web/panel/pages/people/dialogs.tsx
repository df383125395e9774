import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useCloseDialog } from '../../close-dialog.js';
import { request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { Note } from '../../parts/feedback/note.js';
import { Checkbox } from '../../parts/fields/checkbox.js';
import { TextField } from '../../parts/fields/text-field.js';
import { Form } from '../../parts/form/form.js';
import { Code } from '../../parts/layout/code.js';
import { Dialog, DialogActions, DialogButtons } from '../../parts/overlays/dialog.js';
import { say } from '../../parts/overlays/toasts.js';
import type { TextId } from '../../texts/text-id.js';
import { CREATE, DELETE, DISABLE, PEOPLE_KEY, type Person, RESET, RESET_FACTOR } from './queries.js';

export type Task = 'reset' | 'resetFactor' | 'disable' | 'enable' | 'delete';

type Closing = { onClose(): void };

/** A drawn password, which is shown this once: only its button closes the dialog around it. */
function Password({ email, password, onClose }: Closing & { email: string; password: string }) {
  const t = useText();
  return (
    <>
      <div role="status">
        <Note>{t('people.passwordText', { email })}</Note>
      </div>
      <Code text={password} copyLabel={t('people.copyPassword')} />
      <DialogActions>
        <Button variant="primary" onPress={onClose}>
          {t('action.close')}
        </Button>
      </DialogActions>
    </>
  );
}

/** Asks for what an account cannot do without, and shows the password that was drawn for it. */
export function CreateDialog({ onClose }: Closing) {
  const t = useText();
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [staff, setStaff] = useState(false);
  const create = useMutation({
    mutationFn: async () => (await request(CREATE, { input: { email, name, staff } })).createUser.password,
    onSuccess: () => void client.invalidateQueries({ queryKey: PEOPLE_KEY }),
    // The password is in no cache once the dialog is closed.
    gcTime: 0,
  });
  return (
    <Dialog
      title={t('people.create')}
      isOpen
      isPending={create.isPending}
      {...(create.data === undefined && { onClose })}
    >
      {create.data ? (
        <Password email={email} password={create.data} onClose={onClose} />
      ) : (
        <Form
          onSubmit={create.mutate}
          error={create.error}
          fieldErrors={({ code }) => ({ email: code === 'CONFLICT' && t('people.known') })}
        >
          <TextField
            name="email"
            label={t('login.email')}
            type="email"
            autoComplete="off"
            isRequired
            autoFocus
            value={email}
            onChange={setEmail}
          />
          <TextField
            name="name"
            label={t('people.name')}
            isRequired
            maxLength={255}
            value={name}
            onChange={setName}
          />
          <Checkbox label={t('people.asStaff')} isSelected={staff} onChange={setStaff} />
          <DialogButtons action={t('people.create')} />
        </Form>
      )}
    </Dialog>
  );
}

/** What the dialog of a task is called, says and does. */
const TASKS: Readonly<Record<Task, Readonly<{ title: TextId; text: TextId; done: TextId | null }>>> = {
  reset: { title: 'people.reset', text: 'people.resetText', done: null },
  resetFactor: { title: 'people.resetFactor', text: 'people.resetFactorText', done: 'people.factorReset' },
  disable: { title: 'people.disable', text: 'people.disableText', done: 'people.disabled' },
  enable: { title: 'people.enable', text: 'people.enableText', done: 'people.enabled' },
  delete: { title: 'people.delete', text: 'people.deleteText', done: 'people.deleted' },
};

async function run(task: Task, id: string): Promise<string | null> {
  switch (task) {
    case 'reset':
      return (await request(RESET, { id })).resetUserPassword.password;
    case 'resetFactor':
      await request(RESET_FACTOR, { id });
      return null;
    case 'delete':
      await request(DELETE, { id });
      return null;
    default:
      await request(DISABLE, { id, disabled: task === 'disable' });
      return null;
  }
}

type Props = Closing & { task: Task; person: Person };

/** Asks before something is done to an account, and says what that means. */
export function TaskDialog({ task, person: { id, name, email }, onClose }: Props) {
  const t = useText();
  const client = useQueryClient();
  const { title, text, done } = TASKS[task];
  const change = useMutation({
    mutationFn: () => run(task, id),
    onSuccess: async () => {
      const isRead = client.invalidateQueries({ queryKey: PEOPLE_KEY });
      // A password does not wait for the list.
      if (!done) return;
      await isRead;
      say(t(done, { name }));
      onClose();
    },
    gcTime: 0,
  });
  const close = useCloseDialog(change, PEOPLE_KEY, onClose);
  const refusal: ReactNode = change.error && <ErrorBox error={change.error} />;
  return (
    <Dialog title={t(title)} isOpen isPending={change.isPending} {...(!change.data && { onClose: close })}>
      {change.data ? (
        <Password email={email} password={change.data} onClose={onClose} />
      ) : (
        <>
          <p>{t(text, { name, email })}</p>
          {task === 'delete' && <p>{t('people.deleteOwner')}</p>}
          {refusal}
          <DialogButtons
            action={t(title)}
            variant={task === 'enable' ? 'primary' : 'danger'}
            onPress={() => change.mutate()}
          />
        </>
      )}
    </Dialog>
  );
}
