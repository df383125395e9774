import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { classes } from './classes.js';
import styles from './dialog.module.css';

type Props = {
  title: string;
  isOpen: boolean;
  /** Called when the dialog is to close; without it, Esc and a press beside it do nothing. */
  onClose?(): void;
  /** For a table. */
  isWide?: boolean;
  children: ReactNode;
};

/** A modal dialog. Its buttons stand in a `DialogActions` at its end. */
export function Dialog({ title, isOpen, onClose, isWide, children }: Props) {
  return (
    <ModalOverlay
      className={styles.veil!}
      isOpen={isOpen}
      isDismissable={Boolean(onClose)}
      isKeyboardDismissDisabled={!onClose}
      onOpenChange={(open) => {
        if (!open) onClose?.();
      }}
    >
      <Modal className={classes(styles.modal, isWide && styles.wide)}>
        <AriaDialog className={styles.dialog!}>
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
