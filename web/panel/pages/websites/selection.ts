import { useCallback, useRef, useState } from 'react';
import { manages, useViewer } from '../../session.js';
import type { ListedWebsite } from './queries.js';

const NONE: ReadonlySet<string> = new Set();

/** The websites that are selected in a list, of those that the viewer may change. */
export function useSelection(websites: readonly ListedWebsite[]) {
  const viewer = useViewer();
  const [selected, setSelected] = useState(NONE);
  const current = useRef(websites);
  current.current = websites;
  const anchor = useRef(-1);

  const isSelectable = useCallback(
    ({ teamId }: Pick<ListedWebsite, 'teamId'>) => manages(viewer, teamId),
    [viewer],
  );

  /** Toggles a website; with `isRange`, all from the last toggled one to this one get the state of that one. */
  const toggle = useCallback(
    (index: number, isRange: boolean) => {
      const rows = current.current;
      const last = rows[anchor.current];
      const [from, to] = isRange && last ? [anchor.current, index].sort((a, b) => a - b) : [index, index];
      const changed = rows.slice(from, to! + 1).filter(isSelectable);
      setSelected((before) => {
        const next = new Set(before);
        const isOn = isRange && last ? before.has(last.id) : !before.has(rows[index]?.id ?? '');
        for (const { id } of changed) {
          if (isOn) next.add(id);
          else next.delete(id);
        }
        return next;
      });
      if (!isRange) anchor.current = index;
    },
    [isSelectable],
  );

  const has = useCallback((id: string) => selected.has(id), [selected]);
  const shown = websites.filter(({ id }) => selected.has(id));
  return {
    /** Those that the list still shows. */
    selected: shown,
    has,
    isSelectable,
    toggle,
    clear: () => setSelected(NONE),
    select: (wanted: readonly ListedWebsite[]) =>
      setSelected(new Set(wanted.filter(isSelectable).map(({ id }) => id))),
  };
}

export type Selection = ReturnType<typeof useSelection>;
