import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { Section } from '../../parts/layout/page.js';
import { say } from '../../parts/overlays/toasts.js';
import { type Invitation, invitationsQuery } from '../../received-invitations.js';
import { viewerQuery } from '../../session.js';
import styles from '../account.module.css';

const ACCEPT = graphql(`
  mutation acceptInvitation($id: ID!) {
    acceptInvitation(id: $id)
  }
`);

const DECLINE = graphql(`
  mutation declineInvitation($id: ID!) {
    declineInvitation(id: $id)
  }
`);

/** Teams that invite the viewer; nothing while none does. */
export function Invitations() {
  const t = useText();
  const { data: invitations = [] } = useQuery(invitationsQuery);
  if (invitations.length === 0) return null;
  return (
    <Section title={t('account.invitations')}>
      <ul>
        {invitations.map((invitation) => (
          <InvitationItem key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Section>
  );
}

function InvitationItem({ invitation: { id, invitedBy, role, team } }: { invitation: Invitation }) {
  const t = useText();
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries(invitationsQuery);
  const accept = useMutation({
    mutationFn: () => request(ACCEPT, { id }),
    onSuccess: () => {
      say(t('account.invitationAccepted', { team: team.name }));
      return client.invalidateQueries(viewerQuery);
    },
    onSettled,
  });
  const decline = useMutation({ mutationFn: () => request(DECLINE, { id }), onSettled });
  const error = accept.error ?? decline.error;
  return (
    <li className={styles.invitation}>
      <p>
        {t(invitedBy ? 'invitation.textBy' : 'invitation.text', { by: invitedBy, team: team.name, role })}
      </p>
      <Button onPress={() => accept.mutate()} isPending={accept.isPending}>
        {t('account.acceptInvitation')}
      </Button>
      <Button variant="quiet" onPress={() => decline.mutate()} isPending={decline.isPending}>
        {t('account.declineInvitation')}
      </Button>
      {error && <ErrorBox error={error} />}
    </li>
  );
}
