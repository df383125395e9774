import { type ShouldBlockFn, useBlocker, useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useText } from '../../language.js';
import { Button } from '../buttons/button.js';
import { Dialog, DialogActions } from '../overlays/dialog.js';
import { useUnsaved } from './unsaved.js';

/** A change of the address: how it comes about, and both addresses. */
type Move = Parameters<ShouldBlockFn>[0];

type Props = {
  /** Whether something would be lost. */
  isDirty: boolean;
  /** Whether an address shows other things than the present one; without it, every other path does. */
  leaves?(move: Move): boolean;
};

const leavesPage = ({ current, next }: Move): boolean => current.pathname !== next.pathname;

/**
 * Asks before changes that are not saved are left behind. Each move is refused at once and made again when the answer
 * is to leave: a blocker that waits for the answer would leave the browser at the other address meanwhile.
 */
export function LeaveGuard({ isDirty, leaves = leavesPage }: Props) {
  const t = useText();
  const { history } = useRouter();
  const navigate = useNavigate();
  const [refused, setRefused] = useState<Move | null>(null);
  const shouldBlockFn = useCallback(
    (move: Move) => {
      const isLeaving = leaves(move);
      if (isLeaving) setRefused(move);
      return isLeaving;
    },
    [leaves],
  );
  useUnsaved(isDirty);
  useBlocker({ shouldBlockFn, disabled: !isDirty, enableBeforeUnload: false });

  const leave = ({ action, next }: Move) => {
    setRefused(null);
    if (action === 'BACK') history.back({ ignoreBlocker: true });
    else if (action === 'FORWARD') history.forward({ ignoreBlocker: true });
    else {
      void navigate({
        to: next.pathname,
        search: next.search,
        replace: action === 'REPLACE',
        ignoreBlocker: true,
      });
    }
  };

  return (
    <Dialog title={t('leave.title')} isOpen={refused !== null} onClose={() => setRefused(null)}>
      <p>{t('leave.text')}</p>
      <DialogActions>
        <Button onPress={() => refused && leave(refused)}>{t('leave.leave')}</Button>
        <Button variant="primary" autoFocus onPress={() => setRefused(null)}>
          {t('leave.stay')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
