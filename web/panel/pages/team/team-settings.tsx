import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { TextField } from '../../parts/fields/text-field.js';
import { Form, FormActions } from '../../parts/form/form.js';
import { LeaveGuard } from '../../parts/form/leave-guard.js';
import { Section } from '../../parts/layout/page.js';
import { Dialog, DialogButtons } from '../../parts/overlays/dialog.js';
import { say } from '../../parts/overlays/toasts.js';
import { suspensionQuery, type Team, UPDATE_TEAM } from './queries.js';
import { leavesTab } from './search.js';

type Input = { name?: string; active?: boolean };

/** Updates the team, and what shows it. */
function useUpdate({ id }: Team, onDone: (input: Input) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => request(UPDATE_TEAM, { id, input }),
    onSuccess: async (_saved, input) => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['team', id] }),
        client.invalidateQueries({ queryKey: ['teams'] }),
        // They say whether their team is suspended.
        client.invalidateQueries({ queryKey: ['websites'] }),
        client.invalidateQueries({ queryKey: ['website'] }),
      ]);
      onDone(input);
    },
  });
}

/** For staff: the team's name, and whether it is suspended. */
export function TeamSettings({ team }: { team: Team }) {
  const t = useText();
  /** Null while it is the team's, which may change elsewhere. */
  const [typed, setTyped] = useState<string | null>(null);
  const name = typed ?? team.name;
  const rename = useUpdate(team, ({ name: saved }) => {
    // What was typed on meanwhile stays.
    setTyped((now) => (now?.trim() === saved ? null : now));
    say(t('action.saved'));
  });
  return (
    <>
      <Section title={t('teams.rename')}>
        <Form onSubmit={() => rename.mutate({ name: name.trim() })} error={rename.error}>
          <LeaveGuard isDirty={name.trim() !== team.name} leaves={leavesTab} />
          <TextField
            label={t('teams.nameField')}
            name="name"
            isRequired
            value={name}
            onChange={setTyped}
            maxLength={255}
          />
          <FormActions>
            <Button type="submit" isPending={rename.isPending} isDisabled={name.trim() === team.name}>
              {t('action.save')}
            </Button>
          </FormActions>
        </Form>
      </Section>
      <Section title={t('teams.suspension')}>
        <Suspension team={team} />
      </Section>
    </>
  );
}

function Suspension({ team }: { team: Team }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  /** What the dialog asks. It stays so while the team is read again. */
  const [isSuspending, setSuspending] = useState(team.active);
  const update = useUpdate(team, ({ active }) => {
    setOpen(false);
    say(t(active ? 'teams.isResumed' : 'teams.isSuspended', { name: team.name }));
  });
  const concerned = useQuery({ ...suspensionQuery(team.id), enabled: isOpen });
  const open = () => {
    setSuspending(team.active);
    setOpen(true);
  };
  return (
    <>
      <p>{t(team.active ? 'teams.activeText' : 'teams.suspendedText')}</p>
      <Button onPress={open}>{t(team.active ? 'teams.suspend' : 'teams.resume')}</Button>
      <Dialog
        title={t(isSuspending ? 'teams.suspendTitle' : 'teams.resumeTitle', { name: team.name })}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        isPending={update.isPending}
      >
        <Loaded query={concerned}>
          {(counts) => <p>{t(isSuspending ? 'teams.suspendText' : 'teams.resumeText', counts)}</p>}
        </Loaded>
        {update.error && <ErrorBox error={update.error} />}
        <DialogButtons
          action={t(isSuspending ? 'teams.suspend' : 'teams.resume')}
          variant={isSuspending ? 'danger' : 'primary'}
          onPress={() => update.mutate({ active: !isSuspending })}
        />
      </Dialog>
    </>
  );
}
