import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Select } from '../../../parts/fields/select.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { say } from '../../../parts/overlays/toasts.js';
import { useViewer, viewerQuery } from '../../../session.js';
import type { Team } from '../queries.js';
import { CHANGE_ROLE, HAND_OVER, type Member, REMOVE, type Role } from './queries.js';

type Props = { team: Team; member: Member; onClose(): void };

/**
 * Reads again what a change of roles has changed; the viewer's own roles are part of it. After a failure as well, since
 * another may have changed or removed the member.
 */
function useRefresh(teamId: string) {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['team', teamId] }),
      client.invalidateQueries({ queryKey: viewerQuery.queryKey }),
    ]);
}

/** Gives a member another role, once it is said what that does. */
export function RoleDialog({ team, member, roles, onClose }: Props & { roles: readonly Role[] }) {
  const t = useText();
  const refresh = useRefresh(team.id);
  const [role, setRole] = useState(member.role);
  const { id, name } = member.account;
  const change = useMutation({
    mutationFn: () => request(CHANGE_ROLE, { teamId: team.id, userId: id, role }),
    onSuccess: async () => {
      await refresh();
      say(t('action.saved'));
      onClose();
    },
    onError: () => void refresh(),
  });
  return (
    <Dialog title={t('members.roleOf', { name })} isOpen onClose={onClose} isPending={change.isPending}>
      {change.error && <ErrorBox error={change.error} />}
      <Select
        label={t('members.role')}
        value={role}
        onChange={(value) => setRole(value)}
        options={roles.map((value) => ({ value, text: t(`members.role.${value}`) }))}
      />
      <p>{t(`members.may.${role}`)}</p>
      {role === 'member' && member.role !== 'member' && <p>{t('members.losesTokens')}</p>}
      <DialogButtons
        action={t('action.save')}
        isDisabled={role === member.role}
        onPress={() => change.mutate()}
      />
    </Dialog>
  );
}

/** Removes a member, or lets the viewer leave, once it is said what goes. */
export function RemoveDialog({ team, member, onClose }: Props) {
  const t = useText();
  const { userId, staff } = useViewer();
  const client = useQueryClient();
  const navigate = useNavigate();
  const refresh = useRefresh(team.id);
  const { id, name } = member.account;
  const isLeaving = id === userId;
  const remove = useMutation({
    mutationFn: () => request(REMOVE, { teamId: team.id, userId: id }),
    onSuccess: async () => {
      say(t(isLeaving ? 'members.left' : 'members.removed', { name, team: team.name }));
      onClose();
      if (isLeaving && !staff) {
        // Known before another page asks, so that a team that is left on purpose is not announced as lost.
        client.setQueryData(
          viewerQuery.queryKey,
          (viewer) => viewer && { ...viewer, teams: viewer.teams.filter((one) => one.team.id !== team.id) },
        );
        await navigate({
          to: '/teams',
          search: ({ team: shown }) => ({ team: shown === team.id ? undefined : shown }),
        });
        client.removeQueries({ type: 'inactive' });
      }
      await refresh();
    },
    onError: () => void refresh(),
  });
  const title = isLeaving ? t('members.leaveTitle', { team: team.name }) : t('members.removeTitle', { name });
  return (
    <Dialog title={title} isOpen onClose={onClose} isPending={remove.isPending}>
      <p>{t(isLeaving ? 'members.leaveText' : 'members.removeText', { name, team: team.name })}</p>
      {remove.error && <ErrorBox error={remove.error} />}
      <DialogButtons
        action={t(isLeaving ? 'members.leave' : 'members.remove')}
        variant="danger"
        onPress={() => remove.mutate()}
      />
    </Dialog>
  );
}

/** Makes a member an owner and an owner an admin, in one step. */
export function HandOverDialog({ team, member, owners, onClose }: Props & { owners: readonly Member[] }) {
  const t = useText();
  const { userId } = useViewer();
  const refresh = useRefresh(team.id);
  // The owner as chosen: the list loses the one who has handed the team over, while the dialog still shows.
  const [from, setFrom] = useState(
    () => (owners.find(({ account }) => account.id === userId) ?? owners[0]!).account,
  );
  const { id, name } = member.account;
  const handOver = useMutation({
    mutationFn: () => request(HAND_OVER, { teamId: team.id, userId: id, from: from.id }),
    onSuccess: async () => {
      say(t('members.handedOver', { name, team: team.name }));
      onClose();
      await refresh();
    },
    onError: () => void refresh(),
  });
  return (
    <Dialog
      title={t('members.handOverTitle', { team: team.name, name })}
      isOpen
      onClose={onClose}
      isPending={handOver.isPending}
    >
      {handOver.error && <ErrorBox error={handOver.error} />}
      {owners.length > 1 && (
        <Select
          label={t('members.from')}
          value={from.id}
          onChange={(chosen) => setFrom(owners.find(({ account }) => account.id === chosen)?.account ?? from)}
          options={owners.map(({ account }) => ({ value: account.id, text: account.name }))}
        />
      )}
      <p>{t('members.handOverText', { name, owner: from.name })}</p>
      <DialogButtons action={t('members.handOver')} variant="danger" onPress={() => handOver.mutate()} />
    </Dialog>
  );
}
