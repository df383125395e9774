import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { Dialog } from '../../parts/dialog.js';
import { Skeleton } from '../../parts/skeleton.js';
import type { Selection } from './selection.js';
import styles from './selection-bar.module.css';

const EditMany = lazy(async () => ({ default: (await import('./edit-many.js')).EditMany }));

/** As many as the gateway edits at once. */
const MOST = 500;

type Props = { selection: Selection; shown: number; hasMore: boolean };

/** Above the list: how many websites it shows, or are selected, and what can be done with these. */
export function SelectionBar({ selection, shown, hasMore }: Props) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const { selected } = selection;
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = selected.length > 0 && selected.length < shown;
  });
  return (
    <div className={styles.bar}>
      <label className={styles.check}>
        <input
          ref={box}
          type="checkbox"
          aria-label={t('websites.selectShown')}
          checked={selected.length > 0}
          onChange={() => (selected.length > 0 ? selection.clear() : selection.selectShown())}
        />
      </label>
      <p aria-live="polite">
        {selected.length > 0
          ? t('websites.selected', { count: selected.length })
          : t('websites.count', { count: shown, hasMore: String(hasMore) })}
      </p>
      {selected.length > 0 && (
        <Button onPress={() => setOpen(true)} isDisabled={selected.length > MOST}>
          {t('websites.editMany')}
        </Button>
      )}
      {selected.length > MOST && <p>{t('websites.tooMany', { count: MOST })}</p>}
      <Dialog
        title={t('websites.editManyTitle', { count: selected.length })}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      >
        <Suspense fallback={<Skeleton />}>
          <EditMany
            websites={selected}
            onClose={() => setOpen(false)}
            onDone={() => {
              setOpen(false);
              selection.clear();
            }}
          />
        </Suspense>
      </Dialog>
    </div>
  );
}
