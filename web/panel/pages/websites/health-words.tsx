import { useText } from '../../language.js';
import { Badge } from '../../parts/badge.js';
import styles from './health-words.module.css';
import type { ListedWebsite } from './queries.js';

const DAY_MS = 86_400_000;

type Props = Pick<ListedWebsite, 'disabled' | 'health'>;

/** Says in words what is wrong with a website. */
export function HealthWords({ disabled, health: { silentSince, incidents, failedEmails } }: Props) {
  const t = useText();
  const days = silentSince ? Math.floor((Date.now() - Date.parse(silentSince)) / DAY_MS) : 0;
  const isWell = !disabled && !silentSince && incidents === 0 && failedEmails === 0;
  return (
    <span className={styles.words}>
      {isWell && <span className={styles.well}>{t('health.well')}</span>}
      {disabled && <Badge tone="warning">{t('website.disabled')}</Badge>}
      {silentSince && <Badge tone="danger">{t('health.silent', { days })}</Badge>}
      {failedEmails > 0 && <Badge tone="danger">{t('health.failedEmails', { count: failedEmails })}</Badge>}
      {incidents > 0 && <Badge tone="warning">{t('health.incidents', { count: incidents })}</Badge>}
    </span>
  );
}
