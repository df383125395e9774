import { type ReactNode, useEffect, useRef } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { classes } from './classes.js';
import styles from './dialog.module.css';

type Props = {
  title: string;
  isOpen: boolean;
  /** Called when the dialog is to close; without it, Esc and a press beside it do nothing. */
  onClose?(): void;
  /** Whether what it does is in flight: it then stays, so that what comes of that is seen. */
  isPending?: boolean;
  /** For a table. */
  isWide?: boolean;
  children: ReactNode;
};

/** Gives the focus to the page when none has it: React Aria gives it back to what opened a dialog, if that still exists. */
function keepFocus(): void {
  // React Aria does so in the frame after the dialog has gone.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) document.querySelector('main')?.focus();
    }),
  );
}

/**
 * A modal dialog. Its buttons stand in a `DialogActions` at its end. A press beside it closes it unless it has a form, in
 * which something may be typed.
 */
export function Dialog({ title, isOpen, onClose, isPending, isWide, children }: Props) {
  const dialog = useRef<HTMLElement>(null);
  const isClosable = Boolean(onClose) && !isPending;
  useEffect(() => (isOpen ? keepFocus : undefined), [isOpen]);
  return (
    <ModalOverlay
      className={styles.veil!}
      isOpen={isOpen}
      isDismissable={isClosable}
      isKeyboardDismissDisabled={!isClosable}
      shouldCloseOnInteractOutside={() => !dialog.current?.querySelector('form')}
      onOpenChange={(open) => {
        if (!open) onClose?.();
      }}
    >
      <Modal className={classes(styles.modal, isWide && styles.wide)}>
        <AriaDialog ref={dialog} className={styles.dialog!}>
          <Heading slot="title">{title}</Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The buttons of a dialog, the one that it is for last. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className={styles.actions}>{children}</div>
);
