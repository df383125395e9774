import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { Sparkline } from '../charts/sparkline.js';
import styles from './recent-leads.module.css';

/** The leads of the last days: a curve, and their number. */
export function RecentLeads({ counts }: { counts: readonly number[] }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const leads = counts.reduce((sum, count) => sum + count, 0);
  return (
    <span className={styles.leads}>
      <Sparkline
        label={t('websites.leadsOfDays', { count: leads, days: counts.join(' ') })}
        counts={counts}
      />
      {formatNumber(leads)}
    </span>
  );
}
