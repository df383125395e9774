import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useIntl } from 'react-intl';
import { todayQuery } from '../today.js';
import styles from './navigation.module.css';

/** How much needs attention, in the team that the pages are narrowed to. */
export function AttentionCount() {
  const { formatNumber } = useIntl();
  const { team } = useSearch({ strict: false });
  const { data } = useQuery(todayQuery(team));
  if (!data || data.attentionCount === 0) return null;
  return <span className={styles.count}>{formatNumber(data.attentionCount)}</span>;
}
