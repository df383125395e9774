import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { PANEL } from './address.js';
import { graphql, request } from './graphql.js';
import { useText } from './language.js';
import { Button } from './parts/buttons/button.js';
import { describeError } from './parts/feedback/error-words.js';
import { hasUnsaved } from './parts/form/unsaved.js';
import { dropNoteDrafts } from './parts/note-drafts.js';
import { Dialog, DialogActions } from './parts/overlays/dialog.js';
import { say } from './parts/overlays/toasts.js';
import { tellSession } from './session-channel.js';

const VIEW_AS = graphql(`
  mutation viewAs($teamId: ID!) {
    viewAs(teamId: $teamId)
  }
`);

const END = graphql(`
  mutation endViewAs {
    endViewAs
  }
`);

/**
 * Shows the panel to staff as an owner of a team sees it. It asks before changes that are not saved are left behind: in
 * the view they could not be saved any more.
 *
 * @returns `question`, which has to stand on the page.
 */
export function useViewAs() {
  const t = useText();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<string | null>(null);
  const { mutate, isPending } = useMutation({
    mutationFn: (teamId: string) => request(VIEW_AS, { teamId }),
    onSuccess: async () => {
      // Their loss was agreed to: they go with their page, so that the browser does not ask once more.
      if (hasUnsaved()) await navigate({ to: '/', ignoreBlocker: true });
      dropNoteDrafts();
      tellSession();
      // A new document, so that nothing that staff see stays in memory.
      location.assign(PANEL);
    },
    onError: (error) => say(describeError(error, t).text),
  });
  const leave = (teamId: string) => {
    setAsked(null);
    mutate(teamId);
  };
  const question = (
    <Dialog title={t('leave.title')} isOpen={asked !== null} onClose={() => setAsked(null)}>
      <p>{t('leave.text')}</p>
      <DialogActions>
        <Button onPress={() => asked !== null && leave(asked)}>{t('leave.leave')}</Button>
        <Button variant="primary" autoFocus onPress={() => setAsked(null)}>
          {t('leave.stay')}
        </Button>
      </DialogActions>
    </Dialog>
  );
  return {
    begin: (teamId: string) => (hasUnsaved() ? setAsked(teamId) : mutate(teamId)),
    isPending,
    question,
  };
}

/** Ends the view of a client, in every tab. */
export function useEndView(onEnd: () => void) {
  const t = useText();
  return useMutation({
    mutationFn: () => request(END),
    onSuccess: () => {
      tellSession();
      onEnd();
    },
    onError: (error) => say(describeError(error, t).text),
  });
}
