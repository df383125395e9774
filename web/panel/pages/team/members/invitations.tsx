import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/button.js';
import { ErrorBox } from '../../../parts/error-box.js';
import { Loaded } from '../../../parts/loaded.js';
import { Moment } from '../../../parts/moment.js';
import { Section } from '../../../parts/page.js';
import { Table } from '../../../parts/table.js';
import { say } from '../../../parts/toasts.js';
import styles from '../members.module.css';
import { INVITE, type Invitation, invitationsQuery, REVOKE_INVITATION } from './queries.js';
import { mayChange, type Rights } from './rights.js';

type Props = { teamId: string; rights: Rights };

/** The invitations that wait for an answer: each can be sent again or taken back. */
export function Invitations({ teamId, rights }: Props) {
  const t = useText();
  const client = useQueryClient();
  const { queryKey } = invitationsQuery(teamId);
  const invitations = useQuery(invitationsQuery(teamId));
  const again = useMutation({
    mutationFn: ({ email, name, role }: Invitation) =>
      request(INVITE, { teamId, input: { email, name, role } }),
    onSuccess: (_, { email }) => say(t('members.invited', { email })),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  const revoke = useMutation({
    mutationFn: ({ id }: Invitation) => request(REVOKE_INVITATION, { id }),
    onSuccess: (_, { email }) => say(t('members.revoked', { email })),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  const error = again.error ?? revoke.error;
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
                <tr key={invitation.id}>
                  <td>{invitation.email}</td>
                  <td>{t(`members.role.${invitation.role}`)}</td>
                  <td>
                    <Moment at={invitation.createdAt} />
                    {invitation.invitedBy && <> {t('members.by', { name: invitation.invitedBy })}</>}
                  </td>
                  <td>
                    <Moment at={invitation.expiresAt} />
                  </td>
                  <td>
                    {mayChange(rights, invitation.role) && (
                      <span className={styles.buttons}>
                        <Button
                          onPress={() => again.mutate(invitation)}
                          isPending={again.isPending}
                          aria-label={t('members.sendAgainTo', { email: invitation.email })}
                        >
                          {t('action.sendAgain')}
                        </Button>
                        <Button
                          onPress={() => revoke.mutate(invitation)}
                          isPending={revoke.isPending}
                          aria-label={t('members.revokeOf', { email: invitation.email })}
                        >
                          {t('members.revoke')}
                        </Button>
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Loaded>
    </Section>
  );
}
