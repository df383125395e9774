import { getRouteApi, Outlet, useParams } from '@tanstack/react-router';
import { useLayoutEffect, useMemo, useRef } from 'react';
import { useText } from '../language.js';
import { EmptyState } from '../parts/feedback/empty-state.js';
import { areKeysOn } from '../parts/keyboard/keys.js';
import { queryClient } from '../queries.js';
import { manages, useViewer } from '../session.js';
import { useChanges } from './inbox/changes/changes.js';
import type { Shown } from './inbox/changes/chosen.js';
import { Folders } from './inbox/filters/folders.js';
import { LeadContext } from './inbox/lead/lead-context.js';
import { ListPane } from './inbox/list/list-pane.js';
import { useCursor } from './inbox/list/use-cursor.js';
import { useInboxKeys } from './inbox/list/use-inbox-keys.js';
import { useLeadList } from './inbox/list/use-lead-list.js';
import { leadsQuery } from './inbox/queries.js';
import { filterOf, folderOf, inFolder, isInFolder, isSearchable, type LeadState } from './inbox/search.js';
import { useSelection } from './inbox/selection/selection.js';
import { Views } from './inbox/views/views.js';
import styles from './inbox.module.css';

const route = getRouteApi('/shell/inbox');

/** A list that comes within this time is shown with the page, in one step; for another one the page does not wait. */
const SOON_MS = 100;

/**
 * Reads the list of an address ahead of the page. One that has been read before is left to the page.
 *
 * @returns a promise that resolves once the list is there, or soon.
 */
export async function readAhead(search: Parameters<typeof filterOf>[0]): Promise<void> {
  if (!isSearchable(search.q)) return;
  const listed = leadsQuery(inFolder(filterOf(search), folderOf(search)));
  // One that was refused is left to the page, which tells so.
  if (queryClient.getQueryState(listed.queryKey)?.status === 'error') return;
  await Promise.race([
    queryClient.prefetchInfiniteQuery({ ...listed, staleTime: Number.POSITIVE_INFINITY }),
    new Promise((resolve) => setTimeout(resolve, SOON_MS)),
  ]);
}

/** The leads of all websites in view: folders, list and the lead that is open, each in the address. */
export function InboxPage() {
  const t = useText();
  const search = route.useSearch();
  const { id: open = null } = useParams({ strict: false });
  const mayManage = manages(useViewer(), search.team);
  const changes = useChanges();
  const listing = useLeadList(search);
  const { folder, filter, listed, rows } = listing;
  const selection = useSelection(rows, listed);
  const cursor = useCursor({ listing, open, selection });
  const searchInput = useRef<HTMLInputElement>(null);

  const pane = useRef<HTMLElement>(null);
  const isScrolled = useRef(false);
  // The next lead is read from its beginning. Where that is in sight, scrolling would only have it laid out once more.
  useLayoutEffect(() => {
    if (!open || !isScrolled.current) return;
    pane.current!.scrollTop = 0;
    isScrolled.current = false;
  }, [open]);

  /** Gives a lead a state; where it leaves the folder by that, the next one opens. */
  const setStateOf = (lead: Shown, state: LeadState) => {
    const index = rows.findIndex(({ id }) => id === lead.id);
    const next = index < 0 || isInFolder(folder, state) ? null : (rows[index + 1] ?? rows[index - 1]);
    void changes.setState({ leads: [lead] }, state);
    if (next) cursor.goTo(next.id);
  };

  const latest = useRef(setStateOf);
  latest.current = setStateOf;
  const isSelecting = selection.count > 0;
  const { heading, focusHeading } = cursor;
  // The same while the cursor moves, or the lead that is left would be rendered once more before the next one.
  const inLead = useMemo(
    () => ({
      changes,
      setState: (lead: Shown, state: LeadState) => latest.current(lead, state),
      isSelecting,
      heading,
      focusHeading,
    }),
    [changes, isSelecting, heading, focusHeading],
  );

  const parts = { listing, cursor, open, selection, changes, mayManage, searchInput };
  useInboxKeys({ ...parts, setStateOf });

  return (
    <div className={styles.inbox} data-open={open !== null || undefined}>
      {!open && <title>{`${t('inbox.title')} · Formgate`}</title>}
      <h1 className={styles.title}>{t('inbox.title')}</h1>
      <aside className={styles.folders}>
        <Folders filter={filter} folder={folder} />
        <Views search={search} filter={listed} />
      </aside>
      <ListPane search={search} {...parts} />
      <section
        ref={pane}
        className={styles.lead}
        aria-label={t('lead.label')}
        onScroll={({ currentTarget }) => {
          isScrolled.current = currentTarget.scrollTop > 0;
        }}
      >
        {open ? (
          <LeadContext value={inLead}>
            <Outlet />
          </LeadContext>
        ) : (
          <div className={styles.padded}>
            <EmptyState title={t('lead.choose')}>{areKeysOn() && <p>{t('lead.chooseHint')}</p>}</EmptyState>
          </div>
        )}
      </section>
    </div>
  );
}
