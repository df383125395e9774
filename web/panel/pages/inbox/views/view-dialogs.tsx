import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCloseDialog } from '../../../close-dialog.js';
import { GatewayError, graphql, request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { TextField } from '../../../parts/fields/text-field.js';
import { Form } from '../../../parts/form/form.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { type Filter, type InboxSearch, lastDaysOf } from '../search.js';
import { SAVE_VIEW, VIEWS_KEY, type View } from './view-queries.js';

const RENAME = graphql(`
  mutation renameView($id: ID!, $name: String!) {
    renameView(id: $id, name: $name) {
      id
    }
  }
`);

type NameProps = { value: string; hint?: string; onChange(name: string): void };

function NameField(props: NameProps) {
  const t = useText();
  return <TextField label={t('views.name')} name="name" isRequired autoFocus maxLength={100} {...props} />;
}

type SaveProps = {
  search: InboxSearch;
  /** What the list shows. */
  filter: Filter;
  views: readonly View[];
  onClose(): void;
};

/** Asks for the name of a view, and saves it, in the place of one of the same name. */
export function SaveDialog({ search, filter, views, onClose }: SaveProps) {
  const t = useText();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const isTaken = views.some((view) => view.name === name.trim());
  const lastDays = lastDaysOf(search);
  const save = useMutation({
    mutationFn: () => {
      // A usual period moves on with the days.
      const { from, to, ...rest } = filter;
      return request(SAVE_VIEW, { name: name.trim(), filter: lastDays === null ? filter : rest, lastDays });
    },
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: VIEWS_KEY });
    },
  });
  const holdsAddress = save.error instanceof GatewayError && Boolean(save.error.fields['filter.text']);
  return (
    <Dialog title={t('views.save')} isOpen onClose={onClose} isPending={save.isPending}>
      <Form
        error={save.error}
        fieldErrors={() => ({ name: holdsAddress && t('views.address') })}
        onSubmit={() => save.mutate()}
      >
        <NameField value={name} onChange={setName} {...(isTaken && { hint: t('views.replaces') })} />
        <DialogButtons action={t(isTaken ? 'views.replace' : 'action.save')} />
      </Form>
    </Dialog>
  );
}

/** Asks for another name of a view. */
export function RenameDialog({ view, onClose }: { view: View; onClose(): void }) {
  const t = useText();
  const client = useQueryClient();
  const [name, setName] = useState(view.name);
  const rename = useMutation({
    mutationFn: () => request(RENAME, { id: view.id, name: name.trim() }),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: VIEWS_KEY });
    },
  });
  const close = useCloseDialog(rename, VIEWS_KEY, onClose);
  return (
    <Dialog title={t('views.rename')} isOpen onClose={close} isPending={rename.isPending}>
      <Form
        error={rename.error}
        fieldErrors={({ code }) => ({ name: code === 'CONFLICT' && t('views.taken') })}
        onSubmit={() => rename.mutate()}
      >
        <NameField value={name} onChange={setName} />
        <DialogButtons action={t('action.save')} />
      </Form>
    </Dialog>
  );
}
