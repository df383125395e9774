import { useState } from 'react';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { TextField } from '../../parts/fields/text-field.js';
import { Form, FormActions } from '../../parts/form/form.js';
import { LeaveGuard } from '../../parts/form/leave-guard.js';
import { Section } from '../../parts/layout/page.js';
import { useViewer } from '../../session.js';
import { useViewerUpdate } from './use-viewer-update.js';

/** The name of the account. */
export function Profile() {
  const t = useText();
  const viewer = useViewer();
  const [name, setName] = useState(viewer.name);
  const update = useViewerUpdate();
  const trimmed = name.trim();
  return (
    <Section title={t('account.profile')}>
      <Form onSubmit={() => update.mutate({ name: trimmed })} error={update.error}>
        <LeaveGuard isDirty={trimmed !== viewer.name.trim()} />
        <TextField
          name="name"
          label={t('account.name')}
          autoComplete="name"
          isRequired
          maxLength={255}
          value={name}
          onChange={setName}
        />
        <FormActions>
          <Button type="submit" isPending={update.isPending}>
            {t('action.save')}
          </Button>
        </FormActions>
      </Form>
    </Section>
  );
}
