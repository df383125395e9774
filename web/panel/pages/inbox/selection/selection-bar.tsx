import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useIntl } from 'react-intl';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { createDoubleClickGuard } from '../../../parts/buttons/double-click-guard.js';
import { Progress } from '../../../parts/feedback/progress.js';
import type { Changes } from '../changes/changes.js';
import { type Count, useCountText } from '../count.js';
import type { Folder } from '../search.js';
import type { Selection } from './selection.js';
import styles from './selection-bar.module.css';

const SelectionActions = lazyRouteComponent(() => import('./selection-actions.js'), 'SelectionActions');

type Props = {
  folder: Folder;
  selection: Selection;
  changes: Changes;
  /** How many leads the list finds; undefined until they are counted. */
  total: Count | undefined;
  mayManage: boolean;
};

/** Above the list: how many leads there are, else how many are selected and what can be done with them. */
export function SelectionBar({ folder, selection, changes, total, mayManage }: Props) {
  const t = useText();
  const { formatDate } = useIntl();
  const countText = useCountText();
  const { chosen, count, isAll, selectableCount: shown, maySelectAll } = selection;
  const box = useRef<HTMLInputElement>(null);
  const { progress } = changes;
  const [hasActions, setHasActions] = useState(false);
  if (chosen && !hasActions) setHasActions(true);
  const guard = useRef(createDoubleClickGuard()).current;
  useEffect(() => {
    if (box.current) box.current.indeterminate = count > 0 && !isAll && count < shown;
  });
  return (
    <div className={styles.bar}>
      {mayManage && (
        <label className={styles.check}>
          <input
            ref={box}
            type="checkbox"
            aria-label={t('inbox.selectShown')}
            disabled={shown === 0}
            checked={count > 0 && (isAll || count >= shown)}
            onChange={() => (count > 0 ? selection.clear() : selection.selectShown())}
          />
        </label>
      )}
      <p className={styles.count} aria-live="polite">
        {count > 0
          ? t('inbox.selected', { count, number: countText(selection.total) })
          : total && t('inbox.count', { count: total.count, number: countText(total) })}
      </p>
      {/* One button, so that it keeps the focus. */}
      {isAll || (maySelectAll && total && total.count > count && count > 0 && count >= Math.min(shown, 2)) ? (
        <Button
          variant="quiet"
          onPress={guard(() => (isAll ? selection.selectShown() : selection.selectAll(total!)), true)}
        >
          {isAll ? t('inbox.selectOnlyShown') : t('inbox.selectAll', { number: countText(total!) })}
        </Button>
      ) : null}
      {progress && (
        <>
          <Progress {...progress} label={t('inbox.progress')} />
          <Button variant="quiet" onPress={progress.cancel}>
            {t('action.cancel')}
          </Button>
          <p role="status">
            {progress.pausedUntil &&
              t('inbox.paused', { time: formatDate(progress.pausedUntil, { timeStyle: 'medium' }) })}
          </p>
        </>
      )}
      {hasActions && (
        <Suspense>
          <SelectionActions
            folder={folder}
            selection={selection}
            changes={changes}
            chosen={chosen}
            guard={guard}
          />
        </Suspense>
      )}
    </div>
  );
}
