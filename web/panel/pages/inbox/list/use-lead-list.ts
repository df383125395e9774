import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { countOf } from '../filters/folders.js';
import { countsQuery, leadsQuery } from '../queries.js';
import {
  type Filter,
  filterOf,
  folderOf,
  type InboxSearch,
  inFolder,
  isInFolder,
  isSearchable,
} from '../search.js';

/** Reads the leads that an address lists, page by page, with the counts of its folders. */
export function useLeadList(search: InboxSearch & { team?: string }) {
  const folder = folderOf(search);
  const canSearch = isSearchable(search.q);
  const wanted = JSON.stringify(filterOf(search));
  const filter = useMemo(() => JSON.parse(wanted) as Filter, [wanted]);
  const listed = useMemo(() => inFolder(filter, folder), [filter, folder]);
  const leads = useInfiniteQuery(leadsQuery(listed));
  const { data, isPlaceholderData } = useQuery(countsQuery(filter));
  // Those of the list before would be said of this one.
  const counts = isPlaceholderData ? undefined : data;
  const rows = useMemo(
    () =>
      (leads.data?.pages ?? [])
        .flatMap(({ edges }) => edges.map(({ node }) => node))
        .filter(({ state }) => isInFolder(folder, state)),
    [leads.data, folder],
  );

  const { fetchNextPage } = leads;
  const more = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage]);
  // Where all that was read has left the folder, the list that would ask for more is not there.
  const isUsedUp = rows.length === 0 && leads.hasNextPage && !leads.isFetching && !leads.error;
  useEffect(() => {
    if (isUsedUp) more();
  }, [isUsedUp, more]);
  const isFirstRead = canSearch && (leads.isPending || (leads.isPlaceholderData && rows.length === 0));

  return {
    folder,
    /** What the counts of the folders are narrowed by. */
    filter,
    /** The filter within the folder. */
    listed,
    canSearch,
    counts,
    total: counts && countOf(folder, counts),
    leads,
    rows,
    more,
    isFirstRead,
    isEmpty: !isFirstRead && rows.length === 0 && !leads.hasNextPage && leads.data !== undefined,
  };
}

export type LeadListing = ReturnType<typeof useLeadList>;
