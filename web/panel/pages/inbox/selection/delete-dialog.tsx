import { useMutation } from '@tanstack/react-query';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Note } from '../../../parts/feedback/note.js';
import { Progress } from '../../../parts/feedback/progress.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import type { Changes } from '../changes/changes.js';
import { type Chosen, totalOf } from '../changes/chosen.js';
import { deleteLeads } from '../changes/delete-leads.js';
import { useCountText } from '../count.js';
import styles from './delete-dialog.module.css';

export type DeleteProps = {
  chosen: Chosen;
  /** How the leads are called that are shown, the first ones. */
  names: readonly (string | null)[];
  /** Whether it is one lead under legal hold, which cannot be deleted. */
  isHeld?: boolean;
  changes: Changes;
  onDeleted(): void;
  onClose(): void;
};

/** As many leads are called by their names. */
const MAX_NAMES = 5;

/** Tells which leads would be deleted and what goes with them, deletes them, and shows how far it is. */
export function DeleteDialog({ chosen, names, isHeld = false, changes, onDeleted, onClose }: DeleteProps) {
  const t = useText();
  const countText = useCountText();
  const total = totalOf(chosen);
  const { count } = total;
  const remove = useMutation({ mutationFn: () => deleteLeads(chosen, changes, t), onSuccess: onDeleted });
  const shown = names.slice(0, MAX_NAMES);
  const rest = { ...total, count: count - shown.length };
  return (
    <Dialog
      title={t('deletion.title', { count, number: countText(total) })}
      isOpen
      onClose={onClose}
      isPending={remove.isPending}
    >
      <ul className={styles.names}>
        {shown.map((name, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two leads may have one name, and the list stays.
          <li key={index} dir="auto">
            {name ?? t('lead.nameless')}
          </li>
        ))}
        {rest.count > 0 && <li>{t('deletion.more', { count: rest.count, number: countText(rest) })}</li>}
      </ul>
      {isHeld ? <Note>{t('deletion.held')}</Note> : <p>{t('deletion.text', { count })}</p>}
      {remove.error && <ErrorBox error={remove.error} />}
      {remove.isPending && changes.progress && (
        <>
          <Progress {...changes.progress} label={t('deletion.progress')} />
          <div>
            <Button onPress={changes.progress.cancel}>{t('deletion.stop')}</Button>
          </div>
        </>
      )}
      <DialogButtons
        action={t('deletion.submit')}
        variant="danger"
        isDisabled={isHeld}
        onPress={() => remove.mutate()}
      />
    </Dialog>
  );
}
