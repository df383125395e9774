import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Select } from '../../../parts/fields/select.js';
import { TextField } from '../../../parts/fields/text-field.js';
import { Form } from '../../../parts/form/form.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { say } from '../../../parts/overlays/toasts.js';
import { INVITE, invitationsQuery, type Role } from './queries.js';

type Props = {
  teamId: string;
  roles: readonly Role[];
  /** Whether the team has no member yet: the first one is its owner. */
  isFirst: boolean;
  onClose(): void;
};

/** Invites an address to the team. */
export function InviteDialog({ teamId, roles, isFirst, onClose }: Props) {
  const t = useText();
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>(isFirst && roles.includes('owner') ? 'owner' : 'member');
  const invite = useMutation({
    mutationFn: () => request(INVITE, { teamId, input: { email: email.trim(), name: name.trim(), role } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: invitationsQuery(teamId).queryKey });
      say(t('members.invited', { email: email.trim() }));
      onClose();
    },
  });
  return (
    <Dialog title={t('members.invite')} isOpen onClose={onClose} isPending={invite.isPending}>
      <Form
        onSubmit={() => invite.mutate()}
        error={invite.error}
        fieldErrors={({ code }) => ({ email: code === 'CONFLICT' && t('members.isMember') })}
      >
        <TextField
          label={t('members.email')}
          name="email"
          type="email"
          autoFocus
          isRequired
          value={email}
          onChange={setEmail}
        />
        <TextField
          label={t('members.name')}
          name="name"
          isRequired
          value={name}
          onChange={setName}
          maxLength={255}
        />
        <Select
          label={t('members.role')}
          value={role}
          onChange={(value) => setRole(value)}
          options={roles.map((value) => ({ value, text: t(`members.role.${value}`) }))}
        />
        <p>{t(`members.may.${role}`)}</p>
        <DialogButtons action={t('members.invite')} />
      </Form>
    </Dialog>
  );
}
