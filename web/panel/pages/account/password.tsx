import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { HiddenUsername } from '../../parts/fields/hidden-username.js';
import { NewPasswordField } from '../../parts/fields/new-password-field.js';
import { PasswordField } from '../../parts/fields/text-field.js';
import { Form, FormActions } from '../../parts/form/form.js';
import { Section } from '../../parts/layout/page.js';
import { say } from '../../parts/overlays/toasts.js';
import { useViewer } from '../../session.js';
import { SESSIONS_KEY } from './sessions.js';

const CHANGE_PASSWORD = graphql(`
  mutation changePassword($current: String!, $new: String!) {
    changePassword(current: $current, new: $new)
  }
`);

/** The password of the account, which the present one changes. */
export function Password() {
  const t = useText();
  const client = useQueryClient();
  const { email } = useViewer();
  const [current, setCurrent] = useState('');
  const [wanted, setWanted] = useState('');
  const change = useMutation({
    mutationFn: () => request(CHANGE_PASSWORD, { current, new: wanted }),
    onSuccess: () => {
      setCurrent('');
      setWanted('');
      say(t('account.passwordChanged'));
      return client.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
  });
  return (
    <Section title={t('account.password')}>
      <Form
        onSubmit={change.mutate}
        error={change.error}
        fieldErrors={({ fields }) => ({ current: fields.current && t('account.passwordWrong') })}
      >
        <p>{t('account.passwordText')}</p>
        <HiddenUsername email={email} />
        <PasswordField
          name="current"
          label={t('account.currentPassword')}
          value={current}
          onChange={setCurrent}
        />
        <NewPasswordField name="new" value={wanted} onChange={setWanted} />
        <FormActions>
          <Button type="submit" isPending={change.isPending}>
            {t('account.changePassword')}
          </Button>
        </FormActions>
      </Form>
    </Section>
  );
}
