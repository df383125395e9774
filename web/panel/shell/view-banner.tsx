import { PANEL } from '../address.js';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { useViewer } from '../session.js';
import { useEndView } from '../view-as.js';
import styles from './banner.module.css';

/** Says above every page that staff see the panel as a client, and leads back. */
export function ViewBanner() {
  const t = useText();
  const { teams, viewAsTeamId } = useViewer();
  // A new document, so that nothing of the client's view stays in memory.
  const end = useEndView(() => location.assign(PANEL));
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
