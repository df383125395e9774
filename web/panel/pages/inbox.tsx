import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Outlet, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useText } from '../language.js';
import { EmptyState } from '../parts/empty-state.js';
import { ErrorBox } from '../parts/error-box.js';
import { useKeys } from '../parts/keys.js';
import { Skeleton } from '../parts/skeleton.js';
import { queryClient } from '../queries.js';
import { useManagesAny } from '../session.js';
import { type Shown, useChanges } from './inbox/changes.js';
import { Export } from './inbox/export.js';
import { Filters, Search } from './inbox/filters.js';
import { countOf, Folders } from './inbox/folders.js';
import { HeldBanner } from './inbox/held-banner.js';
import { LeadContext } from './inbox/lead-context.js';
import { LeadList } from './inbox/lead-list.js';
import { leadQuery } from './inbox/lead-queries.js';
import { NewLeads } from './inbox/new-leads.js';
import { NoLeads } from './inbox/no-leads.js';
import { countsQuery, leadsQuery } from './inbox/queries.js';
import { filterOf, folderOf, inFolder, isInFolder, isSearchable, type LeadState } from './inbox/search.js';
import { useSelection } from './inbox/selection.js';
import { SelectionBar } from './inbox/selection-bar.js';
import { Views } from './inbox/views.js';
import styles from './inbox.module.css';

const route = getRouteApi('/shell/inbox');

/** Reads the list of an address ahead of the page. One that has been read before is left to the page. */
export function readAhead(search: Parameters<typeof filterOf>[0]): void {
  if (!isSearchable(search.q)) return;
  const listed = leadsQuery(inFolder(filterOf(search), folderOf(search)));
  void queryClient.prefetchInfiniteQuery({ ...listed, staleTime: Number.POSITIVE_INFINITY });
}

/** Whether list and lead stand side by side. */
const isWide = (): boolean => matchMedia('(width >= 900px)').matches;

/** The leads of all websites in view: folders, list and the lead that is open, each in the address. */
export function InboxPage() {
  const t = useText();
  const search = route.useSearch();
  const { id: open = null } = useParams({ strict: false });
  const navigate = useNavigate();
  const client = useQueryClient();
  const router = useRouter();
  const mayManage = useManagesAny();
  const changes = useChanges();

  const folder = folderOf(search);
  const canSearch = isSearchable(search.q);
  const wanted = JSON.stringify(filterOf(search));
  const filter = useMemo(() => JSON.parse(wanted) as ReturnType<typeof filterOf>, [wanted]);
  const listed = useMemo(() => inFolder(filter, folder), [filter, folder]);
  const leads = useInfiniteQuery(leadsQuery(listed));
  const { data: counts } = useQuery(countsQuery(filter));
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

  const pane = useRef<HTMLElement>(null);
  // The next lead is read from its beginning.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lead is what it runs for.
  useLayoutEffect(() => {
    pane.current?.scrollTo(0, 0);
  }, [open]);

  const prefetch = useCallback(
    (id: string) => {
      void client.prefetchQuery(leadQuery(id));
      router.loadRouteChunk(router.routesById['/shell/inbox/$id']);
    },
    [client, router],
  );

  // The neighbours of the lead are there before a key asks for them.
  useEffect(() => {
    if (!open || at < 0) return;
    for (const near of [rows[at + 1], rows[at - 1], rows[at + 2]]) if (near) prefetch(near.id);
  }, [open, at, rows, prefetch]);

  const openByPointer = useCallback(
    (id: string) => void navigate({ to: '/inbox/$id', params: { id }, search: true }),
    [navigate],
  );

  const show = (id: string | null) =>
    navigate(
      id
        ? // The router would scroll the list back to where it was before the cursor moved.
          { to: '/inbox/$id', params: { id }, search: true, replace: open !== null, resetScroll: false }
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

  /** Gives a lead a state; where it leaves the folder by that, the next one opens. */
  const setStateOf = (lead: Shown, state: LeadState) => {
    const index = rows.findIndex(({ id }) => id === lead.id);
    const next = index < 0 || isInFolder(folder, state) ? null : (rows[index + 1] ?? rows[index - 1]);
    void changes.setState({ leads: [lead] }, state);
    if (next) {
      setCursor(next.id);
      if (open) void show(next.id);
    }
  };

  /** Gives the selection a state, else the lead at the cursor. */
  const setState = (state: LeadState) => {
    if (!mayManage) return;
    if (selection.chosen) {
      void changes.setState(selection.chosen, state);
      selection.clear();
      return;
    }
    const lead = rows[at];
    if (lead?.id === cursor) setStateOf(lead, state);
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
  // Where all that was read has left the folder, the list that would ask for more is not there.
  const isUsedUp = rows.length === 0 && leads.hasNextPage && !leads.isFetching && !leads.error;
  useEffect(() => {
    if (isUsedUp) more();
  }, [isUsedUp, more]);
  const isFirstRead = canSearch && (leads.isPending || (leads.isPlaceholderData && rows.length === 0));
  const isEmpty = !isFirstRead && rows.length === 0 && !leads.hasNextPage && leads.data !== undefined;

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
          {canSearch && <Export filter={listed} total={total?.isExact ? total.count : null} />}
          <Filters />
        </header>
        {canSearch && (
          <SelectionBar
            folder={folder}
            selection={selection}
            changes={changes}
            total={total}
            shown={rows.length}
            mayManage={mayManage}
          />
        )}
        <HeldBanner team={search.team} />
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
        {(isEmpty || !canSearch) && (
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
            hasState={folder === 'all' || ['failed', 'waiting', 'held'].includes(folder)}
            hasReasons={folder === 'spam'}
            hasMore={leads.hasNextPage}
            isBusy={leads.isPlaceholderData || leads.isFetchingNextPage}
            onMore={more}
            onMove={move}
            onOpen={openByPointer}
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
      <section ref={pane} className={styles.lead} aria-label={t('lead.label')}>
        {open ? (
          <LeadContext value={{ changes, setState: setStateOf, hasActions: selection.count === 0, heading }}>
            <Outlet />
          </LeadContext>
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
