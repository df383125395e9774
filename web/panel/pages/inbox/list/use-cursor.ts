import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { afterPaint } from '../../../after-paint.js';
import { leadQuery } from '../lead/lead-queries.js';
import type { Selection } from '../selection/selection.js';
import type { LeadListing } from './use-lead-list.js';

/** Whether list and lead stand side by side. */
const isWide = (): boolean => matchMedia('(width >= 900px)').matches;

export const focusList = (): void => document.getElementById('leads')?.focus();

/** Gives the heading of the lead the focus, once it is there: a lead may have to be read first. */
function useHeading() {
  const element = useRef<HTMLHeadingElement>(null);
  const isAwaited = useRef(false);
  const heading = useCallback((mounted: HTMLHeadingElement | null) => {
    element.current = mounted;
    if (!mounted || !isAwaited.current) return;
    isAwaited.current = false;
    mounted.focus();
  }, []);
  const focusHeading = useCallback(() => {
    isAwaited.current = element.current === null;
    element.current?.focus();
  }, []);
  const forgetHeading = useCallback(() => {
    isAwaited.current = false;
  }, []);
  /** Whether the focus is in the lead. */
  const hasLeadFocus = useCallback(
    () => element.current?.closest('section')?.contains(document.activeElement) ?? false,
    [],
  );
  return { heading, focusHeading, forgetHeading, hasLeadFocus };
}

/** In a narrow window the focus goes from the list to the lead that takes its place, and back. */
function useNarrowFocus(open: string | null, focusHeading: () => void): void {
  const isOpen = open !== null;
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current === isOpen) return;
    wasOpen.current = isOpen;
    if (isWide()) return;
    if (isOpen) focusHeading();
    else focusList();
  }, [isOpen, focusHeading]);
}

type Props = {
  listing: LeadListing;
  /** The lead that is open. */
  open: string | null;
  selection: Selection;
};

/** Keeps the lead that the keys are at, and opens leads in the address. */
export function useCursor({ listing: { rows, listed, leads }, open, selection }: Props) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const router = useRouter();
  const [cursor, setCursor] = useState(open);
  const { heading, focusHeading, forgetHeading, hasLeadFocus } = useHeading();
  useNarrowFocus(open, focusHeading);
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

  /** The lead that a key opens at present. Keys may outrun the router, which shows those before it on the way. */
  const opening = useRef<string | null>(null);
  const shown = useRef(open);
  useLayoutEffect(() => {
    shown.current = open;
  }, [open]);
  useEffect(() => {
    if (open && (opening.current ?? open) === open) setCursor(open);
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
    (id: string) => {
      forgetHeading();
      opening.current = null;
      void navigate({ to: '/inbox/$id', params: { id }, search: true, resetScroll: false });
    },
    [navigate, forgetHeading],
  );

  const show = (id: string | null) =>
    navigate(
      id
        ? { to: '/inbox/$id', params: { id }, search: true, replace: open !== null, resetScroll: false }
        : { to: '/inbox', search: true },
    );

  /** Moves the cursor, and opens its lead. */
  const showNext = async (id: string) => {
    setCursor(id);
    opening.current = id;
    await show(id);
    if (opening.current !== id) return;
    opening.current = null;
    // Back may have led elsewhere before the router came to the lead.
    if (shown.current) setCursor(shown.current);
  };

  /** Moves the cursor, and with it the lead where both are seen. */
  const move = (by: number, isExtending = false) => {
    if (rows.length === 0) return;
    if (isWide()) forgetHeading();
    // A lead that has left the list was where the next one is now.
    const hasLeft = at < 0 && position.current >= 0;
    const from = at >= 0 ? at : hasLeft && by > 0 ? position.current - 1 : position.current;
    const to = Math.max(0, Math.min(rows.length - 1, from + by));
    const { id } = rows[to]!;
    if (isExtending && at >= 0) selection.extend(at, to);
    if (open || isWide()) return void showNext(id);
    setCursor(id);
    // Only there its row is marked.
    focusList();
  };

  const enter = () => {
    if (!open && cursor) void show(cursor).then(focusHeading);
    else focusHeading();
  };

  const leave = () => {
    forgetHeading();
    if (selection.count > 0) return selection.clear();
    if (document.activeElement !== document.getElementById('leads') && open && isWide()) return focusList();
    if (open) void show(null).then(focusList);
  };

  /** Goes on from a lead that was dealt with, if it is open. A reader is told of the next one by its heading. */
  const goTo = (id: string) => {
    const isReading = hasLeadFocus();
    if (open) void showNext(id).then(() => isReading && focusHeading());
    else setCursor(id);
  };

  return {
    /** The lead that the keys are at. */
    id: cursor,
    /** Its row; -1 while it is not in the list. */
    at,
    /** Gets the focus when a lead is opened. */
    heading,
    focusHeading,
    move,
    enter,
    leave,
    goTo,
    openByPointer,
    prefetch,
  };
}

export type Cursor = ReturnType<typeof useCursor>;
