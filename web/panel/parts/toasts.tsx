import {
  Button as AriaButton,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';
import { useText } from '../language.js';
import { Button } from './button.js';
import { CloseIcon } from './icons.js';
import styles from './toasts.module.css';

type Message = Readonly<{ text: string; onUndo?: (() => void) | undefined }>;

const queue = new ToastQueue<Message>({ maxVisibleToasts: 3 });

/** How long a message stays, in milliseconds; the pointer or the focus on it stops the time. */
const SHOWN_MS = 6_000;

/** Says that something has happened, with *Undo* where it can be undone; else the same words are not shown twice. */
export function say(text: string, onUndo?: () => void): void {
  for (const { key, content } of queue.visibleToasts) {
    // The same words with *Undo* speak of another change.
    if (content.text === text && !content.onUndo) queue.close(key);
  }
  queue.add({ text, onUndo }, { timeout: onUndo ? SHOWN_MS * 2 : SHOWN_MS });
}

/** Answers of which it was said already what they have changed. */
const told = new WeakSet<object>();

/** Says what an answer has changed, with *Undo*. Two presses share one answer, of which it is said once. */
export function sayOnce(answer: object, text: string, onUndo: () => void): void {
  if (told.has(answer)) return;
  told.add(answer);
  say(text, onUndo);
}

/** Shows the messages of `say`. */
export function Toasts() {
  const t = useText();
  return (
    <ToastRegion queue={queue} aria-label={t('toast.label')} className={styles.region!}>
      {({ toast }) => (
        <Toast toast={toast} className={styles.toast!}>
          <ToastContent className={styles.content!}>
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          {toast.content.onUndo && (
            <Button
              variant="quiet"
              onPress={() => {
                toast.content.onUndo?.();
                queue.close(toast.key);
              }}
            >
              {t('action.undo')}
            </Button>
          )}
          <AriaButton slot="close" aria-label={t('action.close')} className={styles.close!}>
            <CloseIcon />
          </AriaButton>
        </Toast>
      )}
    </ToastRegion>
  );
}
