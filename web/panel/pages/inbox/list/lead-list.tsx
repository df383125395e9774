import { useLocation } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useText } from '../../../language.js';
import type { ListedLead } from '../queries.js';
import type { Filter } from '../search.js';
import styles from './lead-list.module.css';
import { LeadRow, rowId } from './lead-row.js';

type Props = {
  leads: readonly ListedLead[];
  /** What the list is of. */
  filter: Filter;
  /** The lead that the keys are at. */
  cursor: string | null;
  open: string | null;
  isSelected(id: string): boolean;
  hasState: boolean;
  /** Whether each row has a line for why it is spam. */
  hasReasons: boolean;
  isSelectable(lead: ListedLead): boolean;
  /** Whether the gateway has more than these. */
  hasMore: boolean;
  /** Whether these are no longer, or not yet, what is asked for. */
  isBusy: boolean;
  onMore(): void;
  onMove(by: number, isExtending: boolean): void;
  onEnter(): void;
  onOpen(id: string): void;
  onSelect(index: number, isRange: boolean): void;
  onPrefetch(id: string): void;
  /** What stands below the last row. */
  children: ReactNode;
};

/** What each row tells, in this order. */
const COLUMNS = ['selection', 'name', 'about', 'marks', 'website', 'time'] as const;

/** Rows that are kept above and below those in sight. */
const MARGIN = 12;

/** How far before its end a list that is scrolled asks for more, in rows. */
const AHEAD = 42;

/** Height of a row before it is measured. */
const ROW_PX = 36;

/** The leads as a grid of which only the rows near those in sight exist. */
export function LeadList(props: Props) {
  const { leads, cursor, open, isSelected, hasState, hasReasons, hasMore, isBusy, onMore, onMove, onEnter } =
    props;
  const t = useText();
  const search = useLocation({ select: ({ searchStr }) => searchStr });
  const scroller = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  const [shown, setShown] = useState({ row: ROW_PX, count: Math.ceil(innerHeight / ROW_PX) });

  // biome-ignore lint/correctness/useExhaustiveDependencies: rows with reasons are taller.
  useLayoutEffect(() => {
    const element = scroller.current!;
    const measure = () => {
      const row = element.querySelector<HTMLElement>('[role=rowgroup] > [role=row]')?.offsetHeight || ROW_PX;
      setShown({ row, count: Math.ceil(element.clientHeight / row) + 1 });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasReasons]);

  const inSight = Math.max(0, Math.min(first, leads.length - shown.count));
  const from = Math.max(0, inSight - MARGIN);
  const to = Math.min(leads.length, inSight + shown.count + MARGIN);

  // A list that is only looked at reads no more than what is in sight.
  const needed = first + shown.count + (first > 0 ? AHEAD : 0);
  useEffect(() => {
    if (hasMore && !isBusy && needed > leads.length) onMore();
  }, [hasMore, isBusy, needed, leads.length, onMore]);

  // Another list is read from its beginning.
  const listed = useRef(props.filter);
  useLayoutEffect(() => {
    if (listed.current === props.filter) return;
    listed.current = props.filter;
    scroller.current!.scrollTop = 0;
    setFirst(0);
  }, [props.filter]);

  // The row at the cursor comes into sight, and with it the few around it.
  const at = leads.findIndex(({ id }) => id === cursor);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (at < 0 || !element) return;
    const top = at * shown.row;
    const room = element.clientHeight - shown.row;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top > element.scrollTop + room) element.scrollTop = top - room;
  }, [at, shown.row]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: shown.count - 2,
      PageUp: 2 - shown.count,
      Home: Number.NEGATIVE_INFINITY,
      End: Number.POSITIVE_INFINITY,
    };
    const by = moves[event.key];
    if (by !== undefined) {
      onMove(by, event.shiftKey);
    } else if (event.key === ' ' && at >= 0 && props.isSelectable(leads[at]!))
      props.onSelect(at, event.shiftKey);
    else if (event.key === 'Enter') onEnter();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={scroller}
      className={styles.scroller}
      onScroll={({ currentTarget }) => {
        // In steps, so that not every pixel is a render.
        const row = Math.floor(currentTarget.scrollTop / shown.row);
        setFirst(row - (row % 4));
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: rows of a table could not be virtual. */}
      <div
        role="grid"
        id="leads"
        className={styles.grid}
        aria-label={t('inbox.leads')}
        aria-rowcount={hasMore ? -1 : leads.length + 1}
        aria-multiselectable={leads.some(props.isSelectable)}
        aria-busy={isBusy}
        aria-activedescendant={at >= from && at < to ? rowId(cursor!) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        {/* biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: as above. */}
        <div role="row" className={styles.spoken} aria-rowindex={1}>
          {(hasReasons ? [...COLUMNS, 'reason' as const] : COLUMNS).map((column) => (
            // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: as above.
            <span key={column} role="columnheader">
              {t(`inbox.column.${column}`)}
            </span>
          ))}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
        <div
          role="rowgroup"
          className={styles.rows}
          style={{ paddingBlock: `${from * shown.row}px ${(leads.length - to) * shown.row}px` }}
        >
          {leads.slice(from, to).map((lead, offset) => (
            <LeadRow
              key={lead.id}
              lead={lead}
              index={from + offset}
              isAtCursor={lead.id === cursor}
              isOpen={lead.id === open}
              isSelected={isSelected(lead.id)}
              isSelectable={props.isSelectable(lead)}
              hasState={hasState}
              hasReason={hasReasons}
              search={search}
              onOpen={props.onOpen}
              onSelect={props.onSelect}
              onPrefetch={props.onPrefetch}
            />
          ))}
        </div>
      </div>
      {props.children}
    </div>
  );
}
