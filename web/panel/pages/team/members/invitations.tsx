import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Section } from '../../../parts/layout/page.js';
import { Table } from '../../../parts/layout/table.js';
import { say } from '../../../parts/overlays/toasts.js';
import { Moment } from '../../../parts/time/moment.js';
import styles from '../members.module.css';
import { INVITE, type Invitation, invitationsQuery, REVOKE_INVITATION } from './queries.js';
import { mayChange, type Rights } from './rights.js';

type Props = { teamId: string; rights: Rights };

/** The invitations that wait for an answer: each can be sent again or taken back. */
export function Invitations({ teamId, rights }: Props) {
  const t = useText();
  const invitations = useQuery(invitationsQuery(teamId));
  /** Above the table, since what was refused may leave the list with its row. */
  const [error, setError] = useState<Error | null>(null);
  return (
    <Section title={t('members.invitations')}>
      {error && <ErrorBox error={error} />}
      <Loaded query={invitations}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{t('members.noInvitations')}</p>
          ) : (
            <Table
              label={t('members.invitations')}
              headings={[t('members.email'), t('members.role'), t('members.sent'), t('members.until'), '']}
            >
              {rows.map((invitation) => (
                <InvitationRow
                  key={invitation.id}
                  teamId={teamId}
                  invitation={invitation}
                  mayChange={mayChange(rights, invitation.role)}
                  onError={setError}
                />
              ))}
            </Table>
          )
        }
      </Loaded>
    </Section>
  );
}

type RowProps = Readonly<{
  teamId: string;
  invitation: Invitation;
  mayChange: boolean;
  /** Given null once another attempt is made. */
  onError(error: Error | null): void;
}>;

function InvitationRow({ teamId, invitation, mayChange, onError }: RowProps) {
  const t = useText();
  const client = useQueryClient();
  const { id, email, name, role, invitedBy, createdAt, expiresAt } = invitation;
  const handlers = {
    onMutate: () => onError(null),
    onError,
    onSettled: () => client.invalidateQueries({ queryKey: invitationsQuery(teamId).queryKey }),
  };
  const again = useMutation({
    mutationFn: () => request(INVITE, { teamId, input: { email, name, role } }),
    onSuccess: () => say(t('members.invited', { email })),
    ...handlers,
  });
  const revoke = useMutation({
    mutationFn: () => request(REVOKE_INVITATION, { id }),
    onSuccess: () => say(t('members.revoked', { email })),
    ...handlers,
  });
  return (
    <tr>
      <td>{email}</td>
      <td>{t(`members.role.${role}`)}</td>
      <td>
        <Moment at={createdAt} />
        {invitedBy && <> {t('members.by', { name: invitedBy })}</>}
      </td>
      <td>
        <Moment at={expiresAt} />
      </td>
      <td>
        {mayChange && (
          <span className={styles.buttons}>
            <Button
              onPress={() => again.mutate()}
              isPending={again.isPending}
              aria-label={t('members.sendAgainTo', { email })}
            >
              {t('action.sendAgain')}
            </Button>
            <Button
              onPress={() => revoke.mutate()}
              isPending={revoke.isPending}
              aria-label={t('members.revokeOf', { email })}
            >
              {t('members.revoke')}
            </Button>
          </span>
        )}
      </td>
    </tr>
  );
}
