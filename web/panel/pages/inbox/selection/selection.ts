import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { manages, useViewer } from '../../../session.js';
import type { Chosen } from '../changes/chosen.js';
import type { Count } from '../count.js';
import type { ListedLead } from '../queries.js';
import type { Filter } from '../search.js';

/** All that the list found when they were selected, and how many: later ones were not seen. */
type All = Readonly<{ createdBefore: string; total: Count }>;

/** None, some leads by their ids, or all. */
type Selected = ReadonlySet<string> | All;

const isAll = (selected: Selected): selected is All => 'createdBefore' in selected;

const NONE: ReadonlySet<string> = new Set();

/** Returns the leads among those shown that are selected. */
const selectedOf = (leads: readonly ListedLead[], selected: Selected): readonly ListedLead[] =>
  leads.filter(({ id, createdAt }) =>
    isAll(selected) ? createdAt < selected.createdBefore : selected.has(id),
  );

/**
 * The leads that are selected in a list, of those that the viewer may change. It is empty again when the list is of
 * something else.
 */
export function useSelection(leads: readonly ListedLead[], filter: Filter) {
  const [selected, setSelected] = useState<Selected>(NONE);
  /** The lead that a range begins at. */
  const anchor = useRef<string | null>(null);
  const viewer = useViewer();
  const isSelectable = useCallback(
    ({ teamId }: Pick<ListedLead, 'teamId'>) => manages(viewer, teamId),
    [viewer],
  );
  const current = useRef(leads);
  current.current = leads;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter is another list.
  useEffect(() => setSelected(NONE), [filter]);

  const clear = useCallback(() => setSelected(NONE), []);

  /** Selects a lead or no longer; a range gives all since the last one the state that that one got. */
  const toggle = useCallback(
    (index: number, isRange: boolean) => {
      const rows = current.current;
      const lead = rows[index];
      if (!lead || !isSelectable(lead)) return;
      setSelected((before) => {
        const next = new Set(isAll(before) ? selectedOf(rows, before).map(({ id }) => id) : before);
        const last = rows.findIndex(({ id }) => id === anchor.current);
        if (isRange && last >= 0) {
          const isSelected = next.has(rows[last]!.id);
          const range = rows.slice(Math.min(index, last), Math.max(index, last) + 1);
          for (const { id } of range.filter(isSelectable)) {
            if (isSelected) next.add(id);
            else next.delete(id);
          }
        } else {
          if (!next.delete(lead.id)) next.add(lead.id);
        }
        return next;
      });
      if (!isRange) anchor.current = lead.id;
    },
    [isSelectable],
  );

  /** Selects a lead and the one that the cursor goes on to. */
  const extend = useCallback(
    (from: number, to: number) => {
      const ids = [current.current[from], current.current[to]].flatMap((lead) =>
        lead && isSelectable(lead) ? [lead.id] : [],
      );
      setSelected((before) => (isAll(before) ? before : new Set([...before, ...ids])));
    },
    [isSelectable],
  );

  const shown = useMemo(() => selectedOf(leads, selected), [leads, selected]);
  const ids = useMemo(() => new Set(shown.map(({ id }) => id)), [shown]);
  const has = useCallback((id: string) => ids.has(id), [ids]);
  const chosen = useMemo((): Chosen | null => {
    if (shown.length === 0) return null;
    return isAll(selected) ? { filter, ...selected } : { leads: shown };
  }, [shown, selected, filter]);
  const total: Count = isAll(selected) ? selected.total : { count: shown.length, isExact: true };

  const selectable = leads.filter(isSelectable);
  return {
    chosen,
    isSelectable,
    /** How many of those shown can be selected. */
    selectableCount: selectable.length,
    /** Whether all that the list finds can be: a change leaves out the teams that the viewer does not manage. */
    maySelectAll: viewer.teams.every(
      ({ team }) => manages(viewer, team.id) || (filter.teamId ?? team.id) !== team.id,
    ),
    /** How the chosen leads that are shown are called; null: by no name. */
    names: shown.map(({ summary }) => summary.title),
    total,
    count: total.count,
    isAll: isAll(selected),
    has,
    toggle,
    extend,
    clear,
    selectShown: () => setSelected(new Set(selectable.map(({ id }) => id))),
    /** Selects all that the list finds, of which there are so many. */
    selectAll: (total: Count) => {
      const newest = leads[0]?.createdAt;
      if (newest) setSelected({ createdBefore: new Date(Date.parse(newest) + 1).toISOString(), total });
    },
  };
}

export type Selection = ReturnType<typeof useSelection>;
