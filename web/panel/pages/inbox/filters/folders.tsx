import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { memo, useEffect, useRef } from 'react';
import { useText } from '../../../language.js';
import { type Count, useCountText } from '../count.js';
import { type Counts, countsQuery } from '../queries.js';
import { type Filter, FOLDERS, type Folder } from '../search.js';
import styles from './folders.module.css';

export const NONE: Count = { count: 0, isExact: true };

function sum(counts: readonly Count[]): Count {
  return {
    count: counts.reduce((total, { count }) => total + count, 0),
    isExact: counts.every(({ isExact }) => isExact),
  };
}

/** Returns how many leads a folder has; undefined for those whose e-mail waits: that changes from second to second. */
export function countOf(folder: Exclude<Folder, 'waiting'>, counts: Counts): Count;
export function countOf(folder: Folder, counts: Counts): Count | undefined;
export function countOf(folder: Folder, { all, open }: Counts): Count | undefined {
  if (folder === 'waiting') return undefined;
  if (folder === 'all') return { count: all.total, isExact: all.isExact };
  if (folder === 'held') return open.unsent.find(({ state }) => state === 'skipped_quota') ?? NONE;
  if (folder === 'failed') return sum(open.unsent.filter(({ state }) => state !== 'skipped_quota'));
  return all.byState.find(({ state }) => state === folder) ?? NONE;
}

/** Whether there may be any: of a lower bound of 0 that is not known. */
export const isAny = ({ count, isExact }: Count): boolean => count > 0 || !isExact;

/** Folders with e-mails that are about to go out or ought not to be there: hidden while they are empty. */
const HIDDEN: ReadonlySet<Folder> = new Set(['waiting', 'held']);

/** The folders with their counts. */
export const Folders = memo(function Folders({ filter, folder }: { filter: Filter; folder: Folder }) {
  const t = useText();
  const countText = useCountText();
  const { data: counts } = useQuery(countsQuery(filter));
  const shown = FOLDERS.filter(
    (one) => !HIDDEN.has(one) || one === folder || (counts && isAny(countOf(one, counts) ?? NONE)),
  );
  const isBehindLead = useParams({ strict: false, select: ({ id }) => id !== undefined });
  const hasCounts = counts !== undefined;
  const current = useRef<HTMLLIElement>(null);
  // Brings the folder into sight, where they are wider than the screen; the counts move it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what it runs for.
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [folder, hasCounts, isBehindLead]);
  return (
    <nav aria-label={t('inbox.folders')} className={styles.folders}>
      <ul>
        {shown.map((one) => {
          const count = counts && countOf(one, counts);
          return (
            <li key={one} ref={one === folder ? current : null}>
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
});
