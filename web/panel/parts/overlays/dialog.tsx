import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useText } from '../../language.js';
import { Button } from '../buttons/button.js';
import { classes } from '../classes.js';
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
  /** Whether it hides the page behind it. */
  isOpaque?: boolean;
  children: ReactNode;
};

/** What the buttons of a dialog need to know of it. */
const DialogState = createContext<Pick<Props, 'onClose' | 'isPending'>>({});

/**
 * A modal dialog. Its buttons are `DialogButtons` at its end, or stand in `DialogActions` where they are others. A
 * press beside it closes it unless it has a form, in which something may be typed. A task of several steps has one
 * dialog, whose content changes: it gives the focus back to what it was opened with.
 */
export function Dialog({ title, isOpen, onClose, isPending, isWide, isOpaque, children }: Props) {
  const dialog = useRef<HTMLElement>(null);
  const isClosable = Boolean(onClose) && !isPending;
  useEffect(() => {
    // The button that had the focus went with the step before.
    if (document.activeElement === document.body) dialog.current?.focus();
  });
  return (
    <ModalOverlay
      className={classes(styles.veil, isOpaque && styles.opaque)}
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
          <DialogState value={{ onClose, isPending }}>{children}</DialogState>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

type ButtonsProps = {
  /** What the dialog is for, as the text of its button. */
  action: string;
  variant?: 'primary' | 'danger';
  isDisabled?: boolean;
  /** Without it, the button submits the form in which it stands. */
  onPress?(): void;
};

/** The buttons of a dialog that does one thing: to cancel it, and to do it. */
export function DialogButtons({ action, variant = 'primary', isDisabled, onPress }: ButtonsProps) {
  const t = useText();
  const { onClose, isPending } = useContext(DialogState);
  return (
    <DialogActions>
      <Button onPress={onClose} isDisabled={isPending}>
        {t('action.cancel')}
      </Button>
      <Button
        type={onPress ? 'button' : 'submit'}
        variant={variant}
        onPress={onPress}
        isPending={isPending}
        isDisabled={isDisabled}
      >
        {action}
      </Button>
    </DialogActions>
  );
}

/** The buttons of a dialog, the one that it is for last. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className={styles.actions}>{children}</div>
);
