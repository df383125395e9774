import { useState } from 'react';
import { useText } from '../../../language.js';
import { TextField } from '../../../parts/fields/text-field.js';
import { Form } from '../../../parts/form/form.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import type { FormDraft } from '../form-draft.js';
import type { SavedForm } from '../queries.js';
import type { Change } from '../use-draft.js';

type Props = Readonly<{ form: SavedForm; draft: FormDraft; change: Change; onClose(): void }>;

/** Gives the draft another name. The slug, by which websites know the form, stays. */
export function RenameDialog({ form, draft, change, onClose }: Props) {
  const t = useText();
  const [name, setName] = useState(draft.name);
  return (
    <Dialog title={t('form.rename')} isOpen onClose={onClose}>
      <Form
        onSubmit={() => {
          change((before) => ({ ...before, name }));
          onClose();
        }}
      >
        <TextField
          name="name"
          label={t('forms.newName')}
          hint={t('form.renameHint', { slug: form.slug })}
          autoFocus
          autoComplete="off"
          isRequired
          maxLength={255}
          value={name}
          onChange={setName}
        />
        <DialogButtons action={t('form.rename')} />
      </Form>
    </Dialog>
  );
}
