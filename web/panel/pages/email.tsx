import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { graphql, isConflict, isLinkOver, send } from '../graphql.js';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Note } from '../parts/feedback/note.js';
import { Form } from '../parts/form/form.js';
import { Card } from '../parts/layout/card.js';
import { viewerQuery } from '../session.js';
import { tellSession } from '../session-channel.js';

const FOLLOWED = graphql(`
  query followedEmailChange($token: String!) {
    followedEmailChange(token: $token)
  }
`);

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
  const address = useQuery({
    queryKey: ['email', token],
    queryFn: async ({ signal }) => (await send(FOLLOWED, { token }, signal)).followedEmailChange,
  });
  const confirmation = useMutation({
    mutationFn: () => send(CONFIRM, { token }),
    onSuccess: () => {
      client.removeQueries(viewerQuery);
      tellSession();
    },
  });
  const refused =
    isLinkOver(address.error) || isLinkOver(confirmation.error)
      ? t('emailChange.over')
      : isConflict(confirmation.error) && t('emailChange.taken');
  // The token of a confirmed change is over as well, as a later reading tells.
  const refusal = !confirmation.isSuccess && refused;
  const isEnded = confirmation.isSuccess || Boolean(refusal);
  return (
    <Card title={t('email.title')}>
      {/* Together, so that an empty region takes no gap. */}
      <div>
        <div role="status">{confirmation.isSuccess && <Note>{t('emailChange.done')}</Note>}</div>
        {refusal && (
          <div role="alert">
            <Note>{refusal}</Note>
          </div>
        )}
        {!isEnded && (
          <Loaded query={address}>
            {(email) => (
              <Form onSubmit={confirmation.mutate} error={confirmation.error}>
                <p>{t('emailChange.text', { email })}</p>
                <Button type="submit" variant="primary" isPending={confirmation.isPending}>
                  {t('emailChange.confirm')}
                </Button>
              </Form>
            )}
          </Loaded>
        )}
      </div>
      {isEnded && <Link to="/account">{t('emailChange.account')}</Link>}
    </Card>
  );
}
