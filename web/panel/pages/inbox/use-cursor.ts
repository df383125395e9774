import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { afterPaint } from '../../after-paint.js';
import { leadQuery } from './lead-queries.js';
import type { Selection } from './selection.js';
import type { LeadListing } from './use-lead-list.js';

/** Whether list and lead stand side by side. */
const isWide = (): boolean => matchMedia('(width >= 900px)').matches;

export const focusList = (): void => document.getElementById('leads')?.focus();

type Props = {
  listing: LeadListing;
  /** The lead that is open. */
  open: string | null;
  selection: Selection;
  mayManage: boolean;
};

/** Keeps the lead that the keys are at, and opens leads in the address. */
export function useCursor({ listing: { rows, listed, leads }, open, selection, mayManage }: Props) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const router = useRouter();
  const [cursor, setCursor] = useState(open);
  const heading = useRef<HTMLHeadingElement>(null);
  /** Where the cursor was last seen, for when its lead has left the list. */
  const position = useRef(-1);

  const at = rows.findIndex(({ id }) => id === cursor);
  // Until another list has come, the rows are those of the one before.
  if (at >= 0 && !leads.isPlaceholderData) position.current = at;

  const last = useRef(listed);
  useEffect(() => {
    if (last.current === listed) return;
    last.current = listed;
    position.current = -1;
    setCursor(open);
  }, [listed, open]);

  useEffect(() => {
    if (open) setCursor(open);
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
    const opened = open ? rows.findIndex(({ id }) => id === open) : -1;
    if (opened < 0) return;
    return afterPaint(() => {
      for (const near of [rows[opened + 1], rows[opened - 1], rows[opened + 2]]) if (near) prefetch(near.id);
    });
  }, [open, rows, prefetch]);

  // The router would scroll list and lead to where they were before.
  const openByPointer = useCallback(
    (id: string) => void navigate({ to: '/inbox/$id', params: { id }, search: true, resetScroll: false }),
    [navigate],
  );

  const show = (id: string | null) =>
    navigate(
      id
        ? { to: '/inbox/$id', params: { id }, search: true, replace: open !== null, resetScroll: false }
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

  const leave = () => {
    if (selection.count > 0) return selection.clear();
    if (document.activeElement !== document.getElementById('leads') && open && isWide()) return focusList();
    if (open) void show(null).then(focusList);
  };

  /** Goes on to another lead, which opens in place of one that is open. */
  const goTo = (id: string) => {
    setCursor(id);
    if (open) void show(id);
  };

  return {
    /** The lead that the keys are at. */
    id: cursor,
    /** Its row; -1 while it is not in the list. */
    at,
    /** Gets the focus when a lead is opened. */
    heading,
    move,
    enter,
    leave,
    goTo,
    openByPointer,
    prefetch,
  };
}

export type Cursor = ReturnType<typeof useCursor>;
