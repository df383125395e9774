import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import styles from './folders.module.css';
import { type Counts, countsQuery } from './queries.js';
import { type Filter, FOLDERS, type Folder } from './search.js';

type Count = Readonly<{ count: number; isExact: boolean }>;

const NONE: Count = { count: 0, isExact: true };

function sum(counts: readonly Count[]): Count {
  return {
    count: counts.reduce((total, { count }) => total + count, 0),
    isExact: counts.every(({ isExact }) => isExact),
  };
}

/** Returns how many leads a folder has. */
export function countOf(folder: Folder, { all, open }: Counts): Count {
  if (folder === 'all') return { count: all.total, isExact: all.isExact };
  if (folder === 'held') return all.unsent.find(({ state }) => state === 'skipped_quota') ?? NONE;
  if (folder === 'failed') return sum(open.unsent.filter(({ state }) => state !== 'skipped_quota'));
  return all.byState.find(({ state }) => state === folder) ?? NONE;
}

/** Formats a count; one that is a lower bound says so. */
export function useCountText() {
  const { formatNumber } = useIntl();
  const t = useText();
  return ({ count, isExact }: Count): string =>
    isExact ? formatNumber(count) : t('count.moreThan', { count: formatNumber(count) });
}

/** The folders with their counts. One is hidden while it has nothing that ought to be there. */
export function Folders({ filter, folder }: { filter: Filter; folder: Folder }) {
  const t = useText();
  const countText = useCountText();
  const { data: counts } = useQuery(countsQuery(filter));
  const shown = FOLDERS.filter(
    (one) => one !== 'held' || folder === 'held' || (counts && countOf('held', counts).count > 0),
  );
  return (
    <nav aria-label={t('inbox.folders')} className={styles.folders}>
      <ul>
        {shown.map((one) => {
          const count = counts && countOf(one, counts);
          return (
            <li key={one}>
              <Link
                to="/inbox"
                search={(search) =>
                  one === folder
                    ? search
                    : { ...search, folder: one === 'new' && !search.q ? undefined : one }
                }
                // The router marks the link whose address is this one.
                activeOptions={{ includeSearch: true, explicitUndefined: true }}
                className={styles.link}
                data-bad={one === 'failed' && count?.count ? true : undefined}
              >
                <span>{t(`folder.${one}`)}</span>
                {count && count.count > 0 && <span className={styles.count}>{countText(count)}</span>}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
