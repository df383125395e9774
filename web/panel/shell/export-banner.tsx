import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { classes } from '../parts/classes.js';
import { Progress } from '../parts/feedback/progress.js';
import { useRunningExport } from '../running-export.js';
import styles from './banner.module.css';

/** Tells above every page how far the export in flight is, and cancels it. */
export function ExportBanner() {
  const t = useText();
  const running = useRunningExport();
  if (!running) return null;
  const { done, total, cancel } = running;
  return (
    <aside className={classes(styles.banner, styles.plain)} aria-label={t('export.label')}>
      <p>{t('export.running')}</p>
      <Progress done={done} total={total} label={t('export.progress')} />
      <Button onPress={cancel}>{t('action.cancel')}</Button>
    </aside>
  );
}
