import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { Form } from '../../parts/form/form.js';
import { Card } from '../../parts/layout/card.js';
import { CodeField } from '../../parts/second-factor/code-field.js';
import { CONFIRM_LOGIN } from '../../second-factor.js';

type Props = {
  /** Called with the session. */
  onSuccess(): Promise<void>;
  /** Called to begin with the password again. */
  onAgain(): void;
};

/** The second step of a login: a code of the authenticator app, or a recovery code. */
export function CodeForm({ onSuccess, onAgain }: Props) {
  const t = useText();
  const [code, setCode] = useState('');
  const confirm = useMutation({ mutationFn: () => send(CONFIRM_LOGIN, { code }), onSuccess });
  return (
    <Card title={t('login.codeTitle')}>
      <Form
        onSubmit={confirm.mutate}
        error={confirm.error}
        fieldErrors={({ fields, code: reason }) => ({
          code:
            (fields.code && t('login.codeWrong')) || (reason === 'UNAUTHENTICATED' && t('login.stepOver')),
        })}
      >
        <CodeField value={code} onChange={setCode} hint={t('login.codeHint')} />
        <Button type="submit" variant="primary" isPending={confirm.isPending}>
          {t('login.button')}
        </Button>
      </Form>
      <Button variant="quiet" onPress={onAgain}>
        {t('login.again')}
      </Button>
    </Card>
  );
}
