import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DAY_MS } from '../../../../../src/lib/durations.js';
import { request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Checkbox } from '../../../parts/fields/checkbox.js';
import { Select } from '../../../parts/fields/select.js';
import { TextField } from '../../../parts/fields/text-field.js';
import { Form } from '../../../parts/form/form.js';
import { Code } from '../../../parts/layout/code.js';
import { Dialog, DialogActions, DialogButtons } from '../../../parts/overlays/dialog.js';
import { curlOf } from './curl.js';
import { type Ability, CREATE_TOKEN, gatewayAddressQuery, tokensQuery } from './queries.js';

const ABILITIES: readonly Ability[] = ['team_read', 'team_submit'];

/** Days after which a new token ends; `never` is one without an end. */
const LIFETIMES = ['30', '90', '365', 'never'] as const;

type Props = { teamId: string; onClose(): void };

/** Creates a token of the viewer, then shows its value, once. */
export function CreateTokenDialog({ teamId, onClose }: Props) {
  const t = useText();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [abilities, setAbilities] = useState<readonly Ability[]>(['team_submit']);
  const [lifetime, setLifetime] = useState<(typeof LIFETIMES)[number]>('365');
  // One moment, so that a second press sends the same again and makes no other token.
  const [openedAt] = useState(Date.now);
  const create = useMutation({
    mutationFn: async () => {
      const expiresAt =
        lifetime === 'never' ? null : new Date(openedAt + Number(lifetime) * DAY_MS).toISOString();
      const input = { name: name.trim(), abilities: [...abilities], expiresAt };
      return (await request(CREATE_TOKEN, { teamId, input })).createToken.value;
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: tokensQuery(teamId).queryKey }),
    // The value is in no cache once the dialog is closed.
    gcTime: 0,
  });
  if (create.data !== undefined) {
    return (
      <Dialog title={t('tokens.created')} isOpen isWide>
        <CreatedToken value={create.data} abilities={abilities} onKept={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={t('tokens.create')} isOpen onClose={onClose} isPending={create.isPending}>
      <Form
        onSubmit={() => create.mutate()}
        error={create.error}
        fieldErrors={({ fields }) => ({ name: fields['input.name'] && t('tokens.nameRule') })}
      >
        <TextField
          label={t('tokens.name')}
          hint={t('tokens.nameHint')}
          name="name"
          autoFocus
          isRequired
          value={name}
          onChange={setName}
          maxLength={255}
        />
        {ABILITIES.map((ability) => (
          <Checkbox
            key={ability}
            label={t(`tokens.ability.${ability}`)}
            isSelected={abilities.includes(ability)}
            onChange={(isOn) =>
              setAbilities(ABILITIES.filter((one) => (one === ability ? isOn : abilities.includes(one))))
            }
          />
        ))}
        <Select
          label={t('tokens.ends')}
          value={lifetime}
          onChange={(value) => setLifetime(value)}
          options={LIFETIMES.map((value) => ({
            value,
            text: value === 'never' ? t('tokens.never') : t('tokens.days', { count: Number(value) }),
          }))}
        />
        <DialogButtons action={t('tokens.create')} />
      </Form>
    </Dialog>
  );
}

type CreatedProps = { value: string; abilities: readonly Ability[]; onKept(): void };

/** The value of a new token with a command that uses it. Only its button closes the dialog, since it is shown once. */
function CreatedToken({ value, abilities, onKept }: CreatedProps) {
  const t = useText();
  const address = useQuery(gatewayAddressQuery);
  return (
    <>
      <p>{t('tokens.once')}</p>
      <Code text={value} copyLabel={t('tokens.copy')} />
      <h3>{t('tokens.try')}</h3>
      <Loaded query={address}>
        {(publicUrl) => (
          <Code text={curlOf(publicUrl, value, abilities)} copyLabel={t('tokens.copyCommand')} />
        )}
      </Loaded>
      <DialogActions>
        <Button variant="primary" onPress={onKept}>
          {t('tokens.kept')}
        </Button>
      </DialogActions>
    </>
  );
}
