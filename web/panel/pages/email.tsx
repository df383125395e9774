import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { GatewayError, graphql, isConflict, send } from '../graphql.js';
import { useText } from '../language.js';
import { Button } from '../parts/button.js';
import { Card } from '../parts/card.js';
import { Form } from '../parts/form.js';
import { Note } from '../parts/note.js';
import { viewerQuery } from '../session.js';

const CONFIRM = graphql(`
  mutation confirmEmailChange($token: String!) {
    confirmEmailChange(token: $token)
  }
`);

/** Confirms the new address of an account by the token in the fragment. */
export function EmailPage() {
  const t = useText();
  const client = useQueryClient();
  const token = useLocation({ select: ({ hash }) => hash });
  const confirmation = useMutation({
    mutationFn: () => send(CONFIRM, { token }),
    onSuccess: () => client.removeQueries(viewerQuery),
  });
  const { error } = confirmation;
  const isOver = error instanceof GatewayError && Boolean(error.fields.token);
  const isTaken = isConflict(error);
  return (
    <Card title={t('email.title')}>
      {confirmation.isSuccess && <Note>{t('emailChange.done')}</Note>}
      {isOver && <Note>{t('emailChange.over')}</Note>}
      {isTaken && <Note>{t('emailChange.taken')}</Note>}
      {confirmation.isSuccess || isOver || isTaken ? (
        <Link to="/account">{t('emailChange.account')}</Link>
      ) : (
        <Form onSubmit={confirmation.mutate} error={error}>
          <p>{t('emailChange.text')}</p>
          <Button type="submit" variant="primary" isPending={confirmation.isPending}>
            {t('emailChange.confirm')}
          </Button>
        </Form>
      )}
    </Card>
  );
}
