import { lazyRouteComponent } from '@tanstack/react-router';
import { type RefObject, Suspense } from 'react';
import { useText } from '../../../language.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Skeleton } from '../../../parts/feedback/skeleton.js';
import { inRoom } from '../../../room.js';
import styles from '../../inbox.module.css';
import type { Changes } from '../changes/changes.js';
import { Export } from '../export.js';
import { Filters, Search } from '../filters/filters.js';
import { Held } from '../held/held.js';
import { type InboxSearch, isNarrowed } from '../search.js';
import type { Selection } from '../selection/selection.js';
import { SelectionBar } from '../selection/selection-bar.js';
import { LeadList } from './lead-list.js';
import { NewLeads } from './new-leads.js';
import type { Cursor } from './use-cursor.js';
import type { LeadListing } from './use-lead-list.js';

const NoLeads = inRoom(
  'emptyInbox',
  lazyRouteComponent(() => import('./no-leads.js'), 'NoLeads'),
);

type Props = {
  search: InboxSearch & { team?: string };
  listing: LeadListing;
  cursor: Cursor;
  open: string | null;
  selection: Selection;
  changes: Changes;
  mayManage: boolean;
  searchInput: RefObject<HTMLInputElement | null>;
};

/** Search and filters, what can be done with a selection, and the list itself or what stands in its place. */
export function ListPane(props: Props) {
  const { search, listing, cursor, open, selection, changes, mayManage, searchInput } = props;
  const { folder, listed, canSearch, counts, total, leads, rows, more, isFirstRead, isEmpty } = listing;
  const t = useText();
  return (
    <section className={styles.list} aria-label={t(`folder.${folder}`)}>
      <header className={styles.bar}>
        <Search input={searchInput} />
        {canSearch && (
          <Export
            filter={listed}
            total={total?.isExact ? total.count : null}
            hasSelection={selection.count > 0}
          />
        )}
        <Filters />
      </header>
      {canSearch && (
        <SelectionBar
          folder={folder}
          selection={selection}
          changes={changes}
          total={total}
          mayManage={mayManage}
        />
      )}
      <Held team={search.team} isListed={folder === 'held' && !isNarrowed(search)} />
      {leads.data && !leads.isPlaceholderData && (
        <NewLeads
          filter={listed}
          since={leads.data.pages[0]?.pageInfo.startCursor ?? null}
          isListEmpty={isEmpty && !leads.error}
        />
      )}
      {isFirstRead && !leads.error && (
        <div className={styles.padded}>
          <Skeleton lines={12} />
        </div>
      )}
      {leads.error && !leads.data && (
        <div className={styles.padded}>
          <Loaded query={leads}>{() => null}</Loaded>
        </div>
      )}
      {(isEmpty || !canSearch) && (
        <div className={styles.padded}>
          <Suspense fallback={<Skeleton />}>
            <NoLeads folder={folder} search={search} counts={counts} />
          </Suspense>
        </div>
      )}
      {rows.length > 0 && (
        <LeadList
          leads={rows}
          filter={listed}
          cursor={cursor.id}
          open={open}
          isSelected={selection.has}
          isSelectable={selection.isSelectable}
          hasState={folder === 'all' || ['failed', 'waiting', 'held'].includes(folder)}
          hasReasons={folder === 'spam'}
          hasMore={leads.hasNextPage}
          isBusy={leads.isPlaceholderData || leads.isFetchingNextPage}
          onMore={more}
          onMove={cursor.move}
          onOpen={cursor.openByPointer}
          onEnter={cursor.enter}
          onSelect={selection.toggle}
          onPrefetch={cursor.prefetch}
        >
          {leads.isFetchNextPageError && (
            <div className={styles.padded}>
              <ErrorBox error={leads.error!} onRetry={more} />
            </div>
          )}
        </LeadList>
      )}
    </section>
  );
}
