import { useMutation } from '@tanstack/react-query';
import { PANEL } from '../address.js';
import { graphql, request } from '../graphql.js';
import { useText } from '../language.js';
import { Button } from '../parts/button.js';
import { describeError } from '../parts/error-words.js';
import { say } from '../parts/toasts.js';
import { useViewer } from '../session.js';
import styles from './banner.module.css';

const END = graphql(`
  mutation endViewAs {
    endViewAs
  }
`);

/** Says above every page that staff see the panel as a client, and leads back. */
export function ViewBanner() {
  const t = useText();
  const { teams, viewAsTeamId } = useViewer();
  const end = useMutation({
    mutationFn: () => request(END),
    // A new document, so that nothing of the client's view stays in memory.
    onSuccess: () => location.assign(PANEL),
    onError: (error) => say(describeError(error, t).text),
  });
  if (viewAsTeamId === null) return null;
  const team = teams.find(({ team: { id } }) => id === viewAsTeamId)?.team.name ?? '';
  return (
    <aside className={styles.banner} aria-label={t('viewAs.label')}>
      <p>{t('viewAs.text', { team })}</p>
      <Button onPress={() => end.mutate()} isPending={end.isPending}>
        {t('viewAs.end')}
      </Button>
    </aside>
  );
}
