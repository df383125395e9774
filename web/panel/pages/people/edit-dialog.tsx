import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCloseDialog } from '../../close-dialog.js';
import { request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Checkbox } from '../../parts/fields/checkbox.js';
import { TextField } from '../../parts/fields/text-field.js';
import { Form } from '../../parts/form/form.js';
import { changesOf } from '../../parts/merge/changes-of.js';
import { Dialog, DialogButtons } from '../../parts/overlays/dialog.js';
import { say } from '../../parts/overlays/toasts.js';
import { useViewer, viewerQuery } from '../../session.js';
import { PEOPLE_KEY, type Person, UPDATE } from './queries.js';

/**
 * Changes the name of an account, and whether it is of the staff; of the viewer's own, which stays so, the name alone.
 */
export function EditDialog({ person, onClose }: { person: Person; onClose(): void }) {
  const t = useText();
  const client = useQueryClient();
  const isOwn = useViewer().userId === person.id;
  // As the editing has found it; the list may be read again meanwhile.
  const [before] = useState(person);
  const [name, setName] = useState(person.name);
  const [staff, setStaff] = useState(person.staff);
  const update = useMutation({
    mutationFn: () =>
      request(UPDATE, {
        id: person.id,
        input: changesOf<Pick<Person, 'name' | 'staff'>>(before, { name, staff }),
      }),
    onSuccess: async () => {
      const changed = isOwn ? [PEOPLE_KEY, viewerQuery.queryKey] : [PEOPLE_KEY];
      await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
      say(t('action.saved'));
      onClose();
    },
  });
  const close = useCloseDialog(update, PEOPLE_KEY, onClose);
  return (
    <Dialog
      title={t('people.editOne', { email: person.email })}
      isOpen
      onClose={close}
      isPending={update.isPending}
    >
      <Form onSubmit={update.mutate} error={update.error}>
        <TextField
          name="name"
          label={t('people.name')}
          autoComplete="off"
          isRequired
          autoFocus
          maxLength={255}
          value={name}
          onChange={setName}
        />
        {!isOwn && <Checkbox label={t('people.asStaff')} isSelected={staff} onChange={setStaff} />}
        <DialogButtons action={t('action.save')} />
      </Form>
    </Dialog>
  );
}
