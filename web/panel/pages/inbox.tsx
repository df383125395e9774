import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useParams } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useText } from '../language.js';
import { EmptyState } from '../parts/empty-state.js';
import { ErrorBox } from '../parts/error-box.js';
import { useKeys } from '../parts/keys.js';
import { Skeleton } from '../parts/skeleton.js';
import { useManagesAny } from '../session.js';
import { useChanges } from './inbox/changes.js';
import { Export } from './inbox/export.js';
import { Filters, Search } from './inbox/filters.js';
import { countOf, Folders } from './inbox/folders.js';
import { HeldBanner } from './inbox/held-banner.js';
import { LeadList } from './inbox/lead-list.js';
import { LeadView } from './inbox/lead-view.js';
import { NewLeads } from './inbox/new-leads.js';
import { NoLeads } from './inbox/no-leads.js';
import { countsQuery, leadQuery, leadsQuery } from './inbox/queries.js';
import { filterOf, folderOf, inFolder, isInFolder, type LeadState } from './inbox/search.js';
import { useSelection } from './inbox/selection.js';
import { SelectionBar } from './inbox/selection-bar.js';
import { Views } from './inbox/views.js';
import styles from './inbox.module.css';

const route = getRouteApi('/shell/inbox');

/** Whether list and lead stand side by side. */
const isWide = (): boolean => matchMedia('(width >= 900px)').matches;

/** The leads of all websites in view: folders, list and the lead that is open, each in the address. */
export function InboxPage() {
  const t = useText();
  const search = route.useSearch();
  const { id: open = null } = useParams({ strict: false });
  const navigate = useNavigate();
  const client = useQueryClient();
  const mayManage = useManagesAny();
  const changes = useChanges();

  const folder = folderOf(search);
  const wanted = JSON.stringify(filterOf(search));
  const filter = useMemo(() => JSON.parse(wanted) as ReturnType<typeof filterOf>, [wanted]);
  const listed = useMemo(() => inFolder(filter, folder), [filter, folder]);
  const leads = useInfiniteQuery(leadsQuery(listed));
  const { data: counts } = useQuery(countsQuery(filter));
  const held = counts && countOf('held', counts);
  const total = counts && countOf(folder, counts);
  const rows = useMemo(
    () =>
      (leads.data?.pages ?? [])
        .flatMap(({ edges }) => edges.map(({ node }) => node))
        .filter(({ state }) => isInFolder(folder, state)),
    [leads.data, folder],
  );

  const selection = useSelection(rows, listed);
  const [cursor, setCursor] = useState(open);
  const searchInput = useRef<HTMLInputElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  /** Where the cursor was last seen, for when its lead has left the list. */
  const position = useRef(-1);

  const at = rows.findIndex(({ id }) => id === cursor);
  if (at >= 0) position.current = at;

  useEffect(() => {
    if (open) setCursor(open);
  }, [open]);

  const prefetch = useCallback((id: string) => void client.prefetchQuery(leadQuery(id)), [client]);

  // The neighbours of the lead are there before a key asks for them.
  useEffect(() => {
    if (!open || at < 0) return;
    for (const near of [rows[at + 1], rows[at - 1], rows[at + 2]]) if (near) prefetch(near.id);
  }, [open, at, rows, prefetch]);

  const show = (id: string | null) =>
    navigate(
      id
        ? { to: '/inbox/$id', params: { id }, search: true, replace: open !== null }
        : { to: '/inbox', search: true },
    );

  /** Moves the cursor, and with it the lead where both are seen. */
  const move = (by: number, isExtending = false) => {
    if (rows.length === 0) return;
    // A lead that has left the list was where the next one is now.
    const hasLeft = at < 0 && position.current >= 0;
    const from = at >= 0 ? at : hasLeft && by > 0 ? position.current - 1 : position.current;
    const to = Math.max(0, Math.min(rows.length - 1, from + by));
    const { id } = rows[to]!;
    if (isExtending && mayManage && at >= 0) selection.extend(at, to);
    setCursor(id);
    if (open || isWide()) void show(id);
  };

  const enter = () => {
    if (!open && cursor) void show(cursor).then(() => heading.current?.focus());
    else heading.current?.focus();
  };

  const focusList = () => document.getElementById('leads')?.focus();

  const leave = () => {
    if (selection.count > 0) return selection.clear();
    if (document.activeElement !== document.getElementById('leads') && open && isWide()) return focusList();
    if (open) void show(null).then(focusList);
  };

  /** Gives the selection a state, else the lead that is open, after which the next one opens. */
  const setState = (state: LeadState) => {
    if (!mayManage) return;
    if (selection.chosen) {
      void changes.setState(selection.chosen, state);
      selection.clear();
      return;
    }
    const lead = rows[at];
    if (!lead || lead.id !== cursor) return;
    const next = isInFolder(folder, state) ? null : (rows[at + 1] ?? rows[at - 1]);
    void changes.setState({ leads: [lead] }, state);
    if (next) {
      setCursor(next.id);
      if (open) void show(next.id);
    }
  };

  useKeys([
    { key: 'j', text: t('keys.next'), run: () => move(1) },
    { key: 'k', text: t('keys.previous'), run: () => move(-1) },
    { key: 'Enter', text: t('keys.open'), run: enter },
    { key: 'Escape', text: t('keys.leave'), run: leave },
    { key: '/', text: t('keys.search'), run: () => searchInput.current?.focus() },
    ...(mayManage
      ? [
          { key: 'x', text: t('keys.select'), run: () => at >= 0 && selection.toggle(at, false) },
          { key: 'X', text: t('keys.selectTo'), run: () => at >= 0 && selection.toggle(at, true) },
          { key: 'e', text: t('keys.done'), run: () => setState('done') },
          { key: 'i', text: t('keys.inProgress'), run: () => setState('in_progress') },
          { key: '!', text: t('keys.spam'), run: () => setState('spam') },
          { key: 'u', text: t('spam.notSpam'), run: () => setState('new') },
          { key: 'a', text: t('keys.archive'), run: () => setState('archived') },
        ]
      : []),
  ]);

  const { fetchNextPage } = leads;
  const more = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage]);
  const isFirstRead = leads.isPending || (leads.isPlaceholderData && rows.length === 0);

  return (
    <div className={styles.inbox} data-open={open !== null || undefined}>
      {!open && <title>{`${t('inbox.title')} · Formgate`}</title>}
      <h1 className={styles.title}>{t('inbox.title')}</h1>
      <aside className={styles.folders}>
        <Folders filter={filter} folder={folder} />
        <Views search={search} filter={listed} />
      </aside>
      <section className={styles.list} aria-label={t(`folder.${folder}`)}>
        <header className={styles.bar}>
          <Search input={searchInput} />
          <Export filter={listed} total={total?.isExact ? total.count : null} />
          <Filters />
        </header>
        <SelectionBar
          folder={folder}
          selection={selection}
          changes={changes}
          total={total}
          shown={rows.length}
          mayManage={mayManage}
        />
        {mayManage && held && held.count > 0 && <HeldBanner team={search.team} held={held} />}
        {leads.data && !leads.isPlaceholderData && (
          <NewLeads filter={listed} since={leads.data.pages[0]?.pageInfo.startCursor ?? null} />
        )}
        {isFirstRead && !leads.error && (
          <div className={styles.padded}>
            <Skeleton lines={12} />
          </div>
        )}
        {leads.error && !leads.data && (
          <div className={styles.padded}>
            <ErrorBox error={leads.error} onRetry={() => void leads.refetch()} />
          </div>
        )}
        {!isFirstRead && rows.length === 0 && !leads.hasNextPage && leads.data && (
          <div className={styles.padded}>
            <NoLeads folder={folder} search={search} counts={counts} />
          </div>
        )}
        {rows.length > 0 && (
          <LeadList
            leads={rows}
            cursor={cursor}
            open={open}
            isSelected={selection.has}
            isSelectable={mayManage}
            hasState={folder === 'all' || folder === 'failed' || folder === 'held'}
            hasMore={leads.hasNextPage}
            isBusy={leads.isPlaceholderData || leads.isFetchingNextPage}
            onMore={more}
            onMove={move}
            onEnter={enter}
            onSelect={selection.toggle}
            onPrefetch={prefetch}
          >
            {leads.isFetchNextPageError && (
              <div className={styles.padded}>
                <ErrorBox error={leads.error!} onRetry={more} />
              </div>
            )}
          </LeadList>
        )}
      </section>
      <section className={styles.lead} aria-label={t('lead.label')}>
        {open ? (
          <LeadView
            key={open}
            id={open}
            changes={changes}
            hasActions={selection.count === 0}
            heading={heading}
          />
        ) : (
          <div className={styles.padded}>
            <EmptyState title={t('lead.choose')}>
              <p>{t('lead.chooseHint')}</p>
            </EmptyState>
          </div>
        )}
      </section>
    </div>
  );
}
