import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useCloseDialog } from '../../close-dialog.js';
import { request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Checkbox } from '../../parts/fields/checkbox.js';
import { TextField } from '../../parts/fields/text-field.js';
import { Form } from '../../parts/form/form.js';
import { changesOf } from '../../parts/merge/changes-of.js';
import { isSame } from '../../parts/merge/same.js';
import { Dialog, DialogButtons } from '../../parts/overlays/dialog.js';
import { say } from '../../parts/overlays/toasts.js';
import { useViewer, viewerQuery } from '../../session.js';
import { PEOPLE_KEY, type Person, UPDATE } from './queries.js';

type Draft = Pick<Person, 'name' | 'staff'>;

/**
 * Changes the name of an account, and whether it is of the staff; of the viewer's own, which stays so, the name alone.
 */
export function EditDialog({ person, onClose }: { person: Person; onClose(): void }) {
  const t = useText();
  const client = useQueryClient();
  const isOwn = useViewer().userId === person.id;
  // As the editing has found it or saved it last; the list may be read again meanwhile.
  const [before, setBefore] = useState<Draft>({ name: person.name, staff: person.staff });
  const [draft, setDraft] = useState(before);
  const latest = useRef(draft);
  latest.current = draft;
  const update = useMutation({
    mutationFn: (sent: Draft) => request(UPDATE, { id: person.id, input: changesOf(before, sent) }),
    onSuccess: async (_saved, sent) => {
      const changed = isOwn ? [PEOPLE_KEY, viewerQuery.queryKey] : [PEOPLE_KEY];
      await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
      say(t('action.saved'));
      if (isSame(latest.current, sent)) return onClose();
      // What was typed while it was sent stays, to be saved next.
      setBefore(sent);
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
      <Form onSubmit={() => update.mutate(draft)} error={update.error}>
        <TextField
          name="name"
          label={t('people.name')}
          autoComplete="off"
          isRequired
          autoFocus
          maxLength={255}
          value={draft.name}
          onChange={(name) => setDraft({ ...draft, name })}
        />
        {!isOwn && (
          <Checkbox
            label={t('people.asStaff')}
            isSelected={draft.staff}
            onChange={(staff) => setDraft({ ...draft, staff })}
          />
        )}
        <DialogButtons action={t('action.save')} />
      </Form>
    </Dialog>
  );
}
