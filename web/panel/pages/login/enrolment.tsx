import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Form } from '../../parts/form/form.js';
import { Card } from '../../parts/layout/card.js';
import { AppSecret } from '../../parts/second-factor/app-secret.js';
import { CodeField } from '../../parts/second-factor/code-field.js';
import { RecoveryCodes } from '../../parts/second-factor/recovery-codes.js';
import { CONFIRM, START } from '../../second-factor.js';

/** Sets up the authenticator app that an account needs to log in, which logs it in. */
export function Enrolment({ onSuccess }: { onSuccess(): Promise<void> }) {
  const t = useText();
  const [code, setCode] = useState('');
  const secret = useQuery({
    queryKey: ['secondFactorSecret'],
    queryFn: async () => (await send(START)).startSecondFactor,
    // Each secret replaces the one before, which the app may have by then.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const confirm = useMutation({
    mutationFn: async () => (await send(CONFIRM, { code })).confirmSecondFactor,
  });
  const leave = useMutation({ mutationFn: onSuccess });
  if (confirm.data) {
    return (
      <Card title={t('secondFactor.codes')}>
        <RecoveryCodes codes={confirm.data} />
        {leave.error && <ErrorBox error={leave.error} />}
        <Button variant="primary" isPending={leave.isPending} onPress={() => leave.mutate()}>
          {t('secondFactor.goOn')}
        </Button>
      </Card>
    );
  }
  return (
    <Card title={t('secondFactor.title')}>
      <p>{t('secondFactor.requiredText')}</p>
      <Loaded query={secret}>
        {(drawn) => (
          <>
            <AppSecret secret={drawn} />
            <Form
              onSubmit={confirm.mutate}
              error={confirm.error}
              fieldErrors={({ fields }) => ({ code: fields.code && t('login.codeWrong') })}
            >
              <CodeField value={code} onChange={setCode} inputMode="numeric" />
              <Button type="submit" variant="primary" isPending={confirm.isPending}>
                {t('secondFactor.confirm')}
              </Button>
            </Form>
          </>
        )}
      </Loaded>
    </Card>
  );
}
