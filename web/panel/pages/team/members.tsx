import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { EmptyState } from '../../parts/feedback/empty-state.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Section } from '../../parts/layout/page.js';
import { Table } from '../../parts/layout/table.js';
import { Moment } from '../../parts/time/moment.js';
import { mayChange as mayChangeAnything, useOversees, useViewer } from '../../session.js';
import { Invitations } from './members/invitations.js';
import { InviteDialog } from './members/invite-dialog.js';
import { HandOverDialog, RemoveDialog, RoleDialog } from './members/member-dialogs.js';
import { invitationsQuery, type Member, membersQuery } from './members/queries.js';
import { isLastOwner, mayChange, rightsIn } from './members/rights.js';
import styles from './members.module.css';
import type { Team } from './queries.js';
import { TeamSettings } from './team-settings.js';

/** Which dialog is open, and about which member. */
type Open = Readonly<{ dialog: 'role' | 'remove' | 'handOver'; member: Member }>;

/** Who belongs to the team and as what, who is invited, and for staff the team's own settings. */
export function MembersTab({ team }: { team: Team }) {
  const t = useText();
  const viewer = useViewer();
  const rights = rightsIn(viewer, team.id);
  const isManager = useOversees(team.id);
  const mayLeave = mayChangeAnything(viewer);
  const members = useQuery(membersQuery(team.id));
  const invitations = useQuery({ ...invitationsQuery(team.id), enabled: isManager });
  const isOwnerInvited = invitations.data?.some(({ role }) => role === 'owner');
  const [isInviting, setInviting] = useState(false);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Section
        title={t('members.title')}
        actions={rights.mayManage && <Button onPress={() => setInviting(true)}>{t('members.invite')}</Button>}
      >
        <Loaded query={members}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState title={t(isOwnerInvited ? 'members.ownerInvited' : 'members.none')}>
                {viewer.staff && (
                  <p>
                    <Link to="/websites/new" search={{ team: team.id }}>
                      {t('members.firstWebsite')}
                    </Link>
                  </p>
                )}
              </EmptyState>
            ) : (
              <Table
                label={t('members.title')}
                headings={[t('members.name'), t('members.role'), t('members.since'), '']}
              >
                {rows.map((member) => (
                  <Row
                    key={member.account.id}
                    member={member}
                    isViewer={member.account.id === viewer.userId}
                    mayLeave={mayLeave}
                    isLast={isLastOwner(member, rows)}
                    mayChange={mayChange(rights, member.role)}
                    mayInherit={
                      rights.mayDealWithOwners &&
                      member.role !== 'owner' &&
                      rows.some(({ role }) => role === 'owner')
                    }
                    onOpen={(dialog) => setOpen({ dialog, member })}
                  />
                ))}
              </Table>
            )
          }
        </Loaded>
      </Section>
      {isManager && <Invitations teamId={team.id} rights={rights} />}
      {viewer.staff && <TeamSettings key={team.id} team={team} />}
      {isInviting && (
        <InviteDialog
          teamId={team.id}
          roles={rights.roles}
          isFirst={members.data?.length === 0}
          onClose={() => setInviting(false)}
        />
      )}
      {open?.dialog === 'role' && (
        <RoleDialog team={team} member={open.member} roles={rights.roles} onClose={close} />
      )}
      {open?.dialog === 'remove' && <RemoveDialog team={team} member={open.member} onClose={close} />}
      {open?.dialog === 'handOver' && (
        <HandOverDialog
          team={team}
          member={open.member}
          owners={(members.data ?? []).filter(({ role }) => role === 'owner')}
          onClose={close}
        />
      )}
    </>
  );
}

type RowProps = {
  member: Member;
  isViewer: boolean;
  mayLeave: boolean;
  isLast: boolean;
  mayChange: boolean;
  mayInherit: boolean;
  onOpen(dialog: Open['dialog']): void;
};

function Row({ member, isViewer, mayLeave, isLast, mayChange: isChangeable, mayInherit, onOpen }: RowProps) {
  const t = useText();
  const { name, email } = member.account;
  return (
    <tr>
      <td>
        {isViewer ? t('members.you', { name }) : name} <span className={styles.address}>{email}</span>
      </td>
      <td>{t(isLast ? 'members.lastOwner' : `members.role.${member.role}`)}</td>
      <td>
        <Moment at={member.createdAt} />
      </td>
      <td>
        <span className={styles.buttons}>
          {mayInherit && (
            <Button onPress={() => onOpen('handOver')} aria-label={t('members.handOverTo', { name })}>
              {t('members.handOver')}
            </Button>
          )}
          {isChangeable && !isLast && (
            <Button onPress={() => onOpen('role')} aria-label={t('members.changeRoleOf', { name })}>
              {t('members.changeRole')}
            </Button>
          )}
          {((isViewer && mayLeave) || isChangeable) && !isLast && (
            <Button
              onPress={() => onOpen('remove')}
              aria-label={isViewer ? t('members.leave') : t('members.removeOf', { name })}
            >
              {t(isViewer ? 'members.leave' : 'members.remove')}
            </Button>
          )}
        </span>
      </td>
    </tr>
  );
}
