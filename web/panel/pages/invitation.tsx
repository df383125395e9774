import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { graphql, isLinkOver, type ResultOf, send } from '../graphql.js';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Note } from '../parts/feedback/note.js';
import { HiddenUsername } from '../parts/fields/hidden-username.js';
import { NewPasswordField } from '../parts/fields/new-password-field.js';
import { PasswordField } from '../parts/fields/text-field.js';
import { Form } from '../parts/form/form.js';
import { Card } from '../parts/layout/card.js';
import { readViewerAnew, type Viewer, viewerQuery } from '../session.js';
import { tellSession } from '../session-channel.js';

const INVITATION = graphql(`
  query followedInvitation($token: String!) {
    followedInvitation(token: $token) {
      email
      hasPassword
      invitedBy
      role
      team {
        name
      }
    }
  }
`);

const ACCEPT = graphql(`
  mutation acceptFollowedInvitation($token: String!, $password: String) {
    acceptInvitation(token: $token, password: $password)
  }
`);

type Invitation = ResultOf<typeof INVITATION>['followedInvitation'];

/** Shows the invitation of the token in the fragment, and accepts it with the password that its address needs. */
export function InvitationPage() {
  const t = useText();
  const token = useLocation({ select: ({ hash }) => hash });
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: async ({ signal }) => (await send(INVITATION, { token }, signal)).followedInvitation,
  });
  // Whom it logs in already is known before it is shown: a password would be asked for that is not needed.
  const viewer = useQuery(viewerQuery);
  return (
    <Card title={t('invitation.title')}>
      {isLinkOver(invitation.error) ? (
        <>
          <div role="alert">
            <Note>{t('invitation.over')}</Note>
          </div>
          <Link to="/login">{t('reset.back')}</Link>
        </>
      ) : (
        <Loaded query={invitation}>
          {(data) => (
            <Loaded query={viewer}>
              {(known) => <Acceptance key={known?.userId} token={token} invitation={data} viewer={known} />}
            </Loaded>
          )}
        </Loaded>
      )}
    </Card>
  );
}

type AcceptanceProps = Readonly<{ token: string; invitation: Invitation; viewer: Viewer | null }>;

function Acceptance({ token, invitation, viewer }: AcceptanceProps) {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const { email, hasPassword, invitedBy, role, team } = invitation;
  const isViewers = viewer?.email === email;
  const accept = useMutation({
    mutationFn: () => send(ACCEPT, { token, ...(!isViewers && { password }) }),
    onSuccess: async ({ acceptInvitation: isAccepted }) => {
      await readViewerAnew(client);
      tellSession();
      // After the second step of the login the account has the invitation to accept.
      if (isAccepted) await navigate({ to: '/', replace: true });
      else await navigate({ to: '/login', search: { to: '/account' }, replace: true });
    },
    onError: () => {
      // The session may have ended, or the invitation be accepted though the answer was lost.
      void client.invalidateQueries(viewerQuery);
      void client.invalidateQueries({ queryKey: ['invitation', token] });
    },
  });
  const field = { name: 'password', value: password, onChange: setPassword, autoFocus: true };
  return (
    <Form
      onSubmit={accept.mutate}
      error={accept.error}
      fieldErrors={({ fields }) => ({ password: hasPassword && fields.password && t('login.wrong') })}
    >
      <p>
        {t(invitedBy ? 'invitation.textBy' : 'invitation.text', { by: invitedBy, team: team.name, role })}
      </p>
      {viewer && !isViewers && <Note>{t('invitation.otherViewer', { viewer: viewer.email, email })}</Note>}
      {!isViewers && (
        <>
          <p>{t(hasPassword ? 'invitation.knownText' : 'invitation.newText', { email })}</p>
          <HiddenUsername email={email} />
          {hasPassword ? (
            <PasswordField {...field} label={t('login.password')} />
          ) : (
            <NewPasswordField {...field} />
          )}
        </>
      )}
      <Button type="submit" variant="primary" isPending={accept.isPending}>
        {t('invitation.accept')}
      </Button>
      {!isViewers && hasPassword && (
        <Link to="/reset" state={{ email }}>
          {t('login.forgot')}
        </Link>
      )}
    </Form>
  );
}
