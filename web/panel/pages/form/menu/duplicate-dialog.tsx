import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { graphql, request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { TextField } from '../../../parts/fields/text-field.js';
import { Form } from '../../../parts/form/form.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { isSlug, slugOf } from '../../../parts/slug.js';
import type { SavedForm } from '../queries.js';

const DUPLICATE = graphql(`
  mutation duplicateForm($id: ID!, $slug: String!, $name: String) {
    duplicateForm(id: $id, slug: $slug, name: $name) {
      id
    }
  }
`);

type Props = Readonly<{ form: SavedForm; isDirty: boolean; onClose(): void }>;

/** Creates a form like this one as it is saved, on no website, and opens it. */
export function DuplicateDialog({ form, isDirty, onClose }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [name, setName] = useState(() => t('form.copyOf', { name: form.content.name }));
  /** Null while it follows the name. */
  const [ownSlug, setSlug] = useState<string | null>(null);
  const slug = ownSlug ?? slugOf(name);
  const duplicate = useMutation({
    mutationFn: async () => (await request(DUPLICATE, { id: form.id, slug, name })).duplicateForm.id,
    onSuccess: async (formId) => {
      onClose();
      await client.invalidateQueries({ queryKey: ['forms'] });
      await navigate({ to: '/forms/$formId', params: { formId } });
    },
  });
  return (
    <Dialog title={t('form.duplicate')} isOpen onClose={onClose} isPending={duplicate.isPending}>
      <Form
        onSubmit={duplicate.mutate}
        error={duplicate.error}
        fieldErrors={({ fields }) => ({ slug: fields.slug && t('forms.slugTaken') })}
      >
        <p>{t(isDirty ? 'form.duplicateUnsaved' : 'form.duplicateText')}</p>
        <TextField
          name="name"
          label={t('forms.newName')}
          autoFocus
          autoComplete="off"
          isRequired
          maxLength={255}
          value={name}
          onChange={setName}
        />
        <TextField
          name="slug"
          label={t('forms.slug')}
          hint={t('forms.slugHint')}
          autoComplete="off"
          isRequired
          maxLength={100}
          value={slug}
          validate={(text) => (isSlug(text) ? null : t('forms.slugFault'))}
          onChange={setSlug}
        />
        <DialogButtons action={t('form.duplicate')} />
      </Form>
    </Dialog>
  );
}
