import { type ShouldBlockFn, useBlocker } from '@tanstack/react-router';
import { useText } from '../language.js';
import { Button } from './button.js';
import { Dialog, DialogActions } from './dialog.js';
import { useUnsaved } from './unsaved.js';

type Props = {
  /** Whether something would be lost. */
  isDirty: boolean;
  /** Whether an address shows other things than the present one; without it, every other path does. */
  leaves?: ShouldBlockFn;
};

const leavesPage: ShouldBlockFn = ({ current, next }) => current.pathname !== next.pathname;

/** Asks before changes that are not saved are left behind. */
export function LeaveGuard({ isDirty, leaves = leavesPage }: Props) {
  const t = useText();
  useUnsaved(isDirty);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: leaves,
    disabled: !isDirty,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Dialog title={t('leave.title')} isOpen={status === 'blocked'} onClose={() => reset?.()}>
      <p>{t('leave.text')}</p>
      <DialogActions>
        <Button onPress={() => proceed?.()}>{t('leave.leave')}</Button>
        <Button variant="primary" autoFocus onPress={() => reset?.()}>
          {t('leave.stay')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
