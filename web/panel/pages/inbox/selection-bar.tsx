import { lazyRouteComponent, useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { Progress } from '../../parts/progress.js';
import type { Changes } from './changes.js';
import { type Count, useCountText } from './count.js';
import type { DeleteProps } from './delete-dialog.js';
import type { Folder, LeadState } from './search.js';
import type { Selection } from './selection.js';
import styles from './selection-bar.module.css';
import { focusList } from './use-cursor.js';

const DeleteDialog = lazyRouteComponent(() => import('./delete-dialog.js'), 'DeleteDialog');

type Props = {
  folder: Folder;
  selection: Selection;
  changes: Changes;
  /** How many leads the list finds; undefined until they are counted. */
  total: Count | undefined;
  /** How many of them have been read. */
  shown: number;
  mayManage: boolean;
};

const STATES: readonly LeadState[] = ['done', 'in_progress', 'spam', 'archived', 'new'];

/** Above the list: how many leads there are, else how many are selected and what can be done with them. */
export function SelectionBar({ folder, selection, changes, total, shown, mayManage }: Props) {
  const t = useText();
  const { formatDate } = useIntl();
  const countText = useCountText();
  const { chosen, count, isAll } = selection;
  const box = useRef<HTMLInputElement>(null);
  const { progress } = changes;
  const navigate = useNavigate();
  /** What is to be deleted, as it was chosen when that was asked for. */
  const [deleted, setDeleted] = useState<Pick<DeleteProps, 'chosen' | 'names'> | null>(null);
  const hasSelection = count > 0;
  useEffect(() => {
    if (hasSelection) void DeleteDialog.preload?.();
  }, [hasSelection]);
  useEffect(() => {
    if (box.current) box.current.indeterminate = count > 0 && !isAll && count < shown;
  });
  const finish = () => {
    selection.clear();
    // The buttons, of which one had the focus, go.
    focusList();
  };
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
      {count > 0 && !isAll && total && total.count > count && count >= Math.min(shown, 2) && (
        <Button variant="quiet" onPress={() => selection.selectAll(total)}>
          {t('inbox.selectAll', { number: countText(total) })}
        </Button>
      )}
      {progress && (
        <>
          <Progress {...progress} label={t('inbox.progress')} />
          <p role="status">
            {progress.pausedUntil &&
              t('inbox.paused', { time: formatDate(progress.pausedUntil, { timeStyle: 'medium' }) })}
          </p>
        </>
      )}
      {chosen && (
        <div className={styles.actions}>
          {STATES.filter((state) => state !== folder).map((state) => (
            <Button
              key={state}
              isDisabled={progress !== null}
              onPress={() => {
                void changes.setState(chosen, state);
                finish();
              }}
            >
              {t(folder === 'spam' && state === 'new' ? 'spam.notSpam' : `action.${state}`)}
            </Button>
          ))}
          <Button
            variant="quiet"
            isDisabled={progress !== null}
            onPress={() => {
              void changes.sendAgain(chosen);
              finish();
            }}
          >
            {t('action.sendAgain')}
          </Button>
          <Button
            variant="quiet"
            isDisabled={progress !== null}
            onPress={() => setDeleted({ chosen, names: selection.names })}
          >
            {t('inbox.delete.button')}
          </Button>
        </div>
      )}
      {deleted && (
        <Suspense>
          <DeleteDialog
            {...deleted}
            changes={changes}
            onDeleted={() => {
              setDeleted(null);
              selection.clear();
              // The lead that is open may be among them.
              void navigate({ to: '/inbox', search: true });
            }}
            onClose={() => setDeleted(null)}
          />
        </Suspense>
      )}
    </div>
  );
}
