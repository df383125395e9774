import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useText } from '../language.js';
import { EmptyState } from '../parts/feedback/empty-state.js';
import { ErrorBox } from '../parts/feedback/error-box.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Skeleton } from '../parts/feedback/skeleton.js';
import { useKeys } from '../parts/keyboard/keys.js';
import { Page } from '../parts/layout/page.js';
import { useManagesAny, useViewer } from '../session.js';
import { Filters } from './websites/filters.js';
import { type WebsitesPart, websitesQuery } from './websites/queries.js';
import { isNarrowed } from './websites/search.js';
import { useSelection } from './websites/selection.js';
import { MAX_SELECTED, SelectionBar } from './websites/selection-bar.js';
import { WebsiteTable } from './websites/website-table.js';
import styles from './websites.module.css';

const route = getRouteApi('/shell/websites');

const nodesOf = ({ edges }: WebsitesPart) => edges.map(({ node }) => node);

/** Position of the row that has the focus; -1 for none. */
const focusedRow = (): number =>
  Number(document.activeElement?.closest('tr')?.querySelector<HTMLElement>('[data-row]')?.dataset.row ?? -1);

/** The websites in view: what is wrong with each, its leads, and how it is set up. */
export function WebsitesPage() {
  const t = useText();
  const search = route.useSearch();
  const { staff } = useViewer();
  const mayManage = useManagesAny();
  const websites = useInfiniteQuery(websitesQuery(search));
  const rows = useMemo(() => (websites.data?.pages ?? []).flatMap(nodesOf), [websites.data]);
  const { fetchNextPage } = websites;
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const selection = useSelection(rows);
  const input = useRef<HTMLInputElement>(null);
  const shownSearch = useRef<typeof search | null>(search);
  useEffect(() => {
    shownSearch.current = search;
    return () => {
      shownSearch.current = null;
    };
  }, [search]);
  const selectAll = async () => {
    let found = rows.filter(selection.isSelectable);
    let hasMore = websites.hasNextPage;
    while (hasMore && found.length < MAX_SELECTED) {
      const { data, hasNextPage, isError } = await fetchNextPage();
      // Another search, or another page: what is read now is not what was to be selected.
      if (shownSearch.current !== search) return;
      found = (data?.pages ?? []).flatMap(nodesOf).filter(selection.isSelectable);
      hasMore = hasNextPage && !isError;
    }
    selection.select(found.slice(0, MAX_SELECTED));
  };

  const move = (by: number) => {
    const to = Math.max(0, Math.min(rows.length - 1, focusedRow() + by));
    document.querySelector<HTMLElement>(`[data-row="${to}"]`)?.focus();
  };
  useKeys([
    { key: 'j', text: t('websites.nextKey'), isRepeating: true, run: () => move(1) },
    { key: 'k', text: t('websites.previousKey'), isRepeating: true, run: () => move(-1) },
    ...(mayManage
      ? [
          {
            key: 'x',
            text: t('websites.selectKey'),
            run: () => {
              if (focusedRow() >= 0) selection.toggle(focusedRow(), false);
            },
          },
        ]
      : []),
    { key: '/', text: t('websites.search'), run: () => input.current?.focus() },
  ]);

  return (
    <Page
      title={t('websites.title')}
      actions={
        mayManage && (
          <p className={styles.actions}>
            <Link to="/websites/import">{t('websites.import')}</Link>
            <Link to="/websites/new">{t('websites.new')}</Link>
          </p>
        )
      }
    >
      <Filters input={input} />
      <Loaded query={websites} skeleton={<Skeleton lines={12} />}>
        {() =>
          rows.length > 0 && (
            <>
              {mayManage && (
                <SelectionBar
                  selection={selection}
                  shown={rows}
                  hasMore={websites.hasNextPage}
                  onSelectAll={selectAll}
                />
              )}
              <WebsiteTable
                websites={rows}
                selection={selection}
                hasTeam={staff}
                hasMore={websites.hasNextPage && !websites.isFetchNextPageError}
                isBusy={websites.isPlaceholderData || websites.isFetchingNextPage}
                onMore={more}
              />
              {websites.isFetchNextPageError && <ErrorBox error={websites.error!} onRetry={more} />}
            </>
          )
        }
      </Loaded>
      <div role="status">
        {websites.data && rows.length === 0 && (
          <EmptyState title={t(isNarrowed(search) ? 'websites.noneFound' : 'websites.none')}>
            {isNarrowed(search) ? (
              <Link to="/websites" search={({ team }) => ({ team })}>
                {t('filter.widen')}
              </Link>
            ) : (
              <p>{t(mayManage ? 'websites.first' : 'websites.firstByOthers')}</p>
            )}
          </EmptyState>
        )}
      </div>
    </Page>
  );
}
