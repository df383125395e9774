import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useIntl } from 'react-intl';
import { graphql, requestAfterPaint } from '../graphql.js';
import { useText } from '../language.js';
import styles from './navigation.module.css';

const COUNT = graphql(`
  query newCount($teamId: ID) {
    submissionCounts(filter: { teamId: $teamId, states: [new] }) {
      total
      isExact
    }
  }
`);

const POLL_MS = 20_000;

/** How many leads are new, in the team that the pages are narrowed to. */
export function NewCount() {
  const t = useText();
  const { formatNumber } = useIntl();
  const { team } = useSearch({ strict: false });
  const { data } = useQuery({
    queryKey: ['leadCounts', 'new', team],
    queryFn: async ({ signal }) =>
      (await requestAfterPaint(COUNT, { teamId: team ?? null }, signal)).submissionCounts,
    refetchInterval: POLL_MS,
  });
  if (!data || data.total === 0) return null;
  const count = formatNumber(data.total);
  return <span className={styles.count}>{data.isExact ? count : t('count.moreThan', { count })}</span>;
}
