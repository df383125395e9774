import { lazyRouteComponent, useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import type { createDoubleClickGuard } from '../../../parts/buttons/double-click-guard.js';
import { inRoom } from '../../../room.js';
import type { Changes } from '../changes/changes.js';
import type { Chosen } from '../changes/chosen.js';
import { focusList } from '../list/use-cursor.js';
import type { Folder, LeadState } from '../search.js';
import type { DeleteProps } from './delete-dialog.js';
import type { Selection } from './selection.js';
import styles from './selection-bar.module.css';

const DeleteDialog = inRoom(
  'leadDialogs',
  lazyRouteComponent(() => import('./delete-dialog.js'), 'DeleteDialog'),
);

type Props = {
  folder: Folder;
  selection: Selection;
  changes: Changes;
  /** Null: none are selected any more; a dialog about them may still be open. */
  chosen: Chosen | null;
  guard: ReturnType<typeof createDoubleClickGuard>;
};

const STATES: readonly LeadState[] = ['done', 'in_progress', 'spam', 'archived', 'new'];

/** What can be done with the selected leads. */
export function SelectionActions({ folder, selection, changes, chosen, guard }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const { progress } = changes;
  /** What is to be deleted, as it was chosen when that was asked for. */
  const [deleted, setDeleted] = useState<Pick<DeleteProps, 'chosen' | 'names'> | null>(null);
  useEffect(() => void DeleteDialog.preload?.(), []);
  const finish = () => {
    selection.clear();
    // The buttons, of which one had the focus, go.
    focusList();
  };
  return (
    <>
      {chosen && (
        <div className={styles.actions}>
          {STATES.filter((state) => state !== folder).map((state) => (
            <Button
              key={state}
              isDisabled={progress !== null}
              onPress={guard(() => {
                void changes.setState(chosen, state);
                finish();
              })}
            >
              {t(folder === 'spam' && state === 'new' ? 'spam.notSpam' : `action.${state}`)}
            </Button>
          ))}
          <Button
            variant="quiet"
            isDisabled={progress !== null}
            onPress={guard(() => {
              void changes.sendAgain(chosen);
              finish();
            })}
          >
            {t('action.sendAgain')}
          </Button>
          <Button
            variant="quiet"
            isDisabled={progress !== null}
            onPress={guard(() => setDeleted({ chosen, names: selection.names }))}
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
    </>
  );
}
