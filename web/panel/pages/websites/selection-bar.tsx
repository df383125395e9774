import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import type { ListedWebsite } from './queries.js';
import type { Selection } from './selection.js';
import styles from './selection-bar.module.css';

const EditDialog = lazyRouteComponent(() => import('./edit-dialog.js'), 'EditDialog');

/** Maximum number of websites that the gateway edits at once. */
export const MAX_SELECTED = 500;

type Props = {
  selection: Selection;
  shown: readonly ListedWebsite[];
  hasMore: boolean;
  /** Selects also those that are not shown yet. */
  onSelectAll(): Promise<void>;
};

/** Above the list: how many websites it shows, or are selected, and what can be done with these. */
export function SelectionBar({ selection, shown, hasMore, onSelectAll }: Props) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const { selected } = selection;
  const box = useRef<HTMLInputElement>(null);
  const [isEdited, setEdited] = useState(false);
  const [isSelecting, setSelecting] = useState(false);
  const selectAll = async () => {
    setSelecting(true);
    await onSelectAll();
    setSelecting(false);
    box.current?.focus();
  };
  // The button that opened the dialog is gone, and the dialog in the next frame.
  useEffect(() => {
    if (!isEdited) return;
    setEdited(false);
    requestAnimationFrame(() => box.current?.focus());
  }, [isEdited]);
  useEffect(() => {
    if (box.current) box.current.indeterminate = selected.length > 0 && selected.length < shown.length;
  });
  return (
    <div className={styles.bar}>
      <label className={styles.check}>
        <input
          ref={box}
          type="checkbox"
          aria-label={t('websites.selectShown')}
          checked={selected.length > 0}
          onChange={() => (selected.length > 0 ? selection.clear() : selection.select(shown))}
        />
      </label>
      <p aria-live="polite">
        {selected.length > 0
          ? t('websites.selected', { count: selected.length })
          : t('websites.count', { count: shown.length, hasMore: String(hasMore) })}
      </p>
      {hasMore && selected.length > 0 && selected.length < MAX_SELECTED && (
        <Button variant="quiet" onPress={() => void selectAll()} isPending={isSelecting}>
          {t('websites.selectAll')}
        </Button>
      )}
      {selected.length > 0 && (
        <Button onPress={() => setOpen(true)} isDisabled={isSelecting || selected.length > MAX_SELECTED}>
          {t('websites.editMany')}
        </Button>
      )}
      {(selected.length > MAX_SELECTED || (hasMore && selected.length === MAX_SELECTED)) && (
        <p>{t('websites.tooMany', { count: MAX_SELECTED })}</p>
      )}
      {isOpen && (
        <Suspense>
          <EditDialog
            websites={selected}
            onClose={() => setOpen(false)}
            onDone={() => {
              setOpen(false);
              selection.clear();
              setEdited(true);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
