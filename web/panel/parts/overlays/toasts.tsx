import {
  Button as AriaButton,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';
import { useText } from '../../language.js';
import { Button } from '../buttons/button.js';
import { CloseIcon } from '../icons/icons.js';
import { useKeys } from '../keyboard/keys.js';
import styles from './toasts.module.css';

type Message = Readonly<{
  text: string;
  onUndo?: (() => void) | undefined;
  /** When what it tells of began, by `performance.now`. */
  since: number;
}>;

const queue = new ToastQueue<Message>({ maxVisibleToasts: 3 });

/** How long a message stays, in milliseconds; the pointer or the focus on it stops the time. */
const SHOWN_MS = 6_000;

/**
 * Says that something has happened, with *Undo* where it can be undone; else the same words are not shown twice.
 *
 * @param since When the change began: answers may come in another order.
 */
export function say(text: string, onUndo?: () => void, since = performance.now()): void {
  closeSame(text);
  queue.add({ text, onUndo, since }, { timeout: onUndo ? SHOWN_MS * 2 : SHOWN_MS });
}

/** Says what must not be missed while one looks elsewhere, such as the failure of what took minutes. */
export function sayUntilClosed(text: string): void {
  closeSame(text);
  queue.add({ text, since: performance.now() });
}

function closeSame(text: string): void {
  for (const { key, content } of queue.visibleToasts) {
    // The same words with *Undo* speak of another change.
    if (content.text === text && !content.onUndo) queue.close(key);
  }
}

/** Answers of which it was said already what they have changed. */
const told = new WeakSet<object>();

/** Says what an answer has changed, with *Undo*. Two presses share one answer, of which it is said once. */
export function sayOnce(answer: object, text: string, onUndo: () => void): void {
  if (told.has(answer)) return;
  told.add(answer);
  say(text, onUndo);
}

type Shown = Readonly<{ key: string; content: Message }>;

function undo({ key, content }: Shown): void {
  content.onUndo?.();
  queue.close(key);
}

/** Changes that end in a message with *Undo*, and are still in flight. */
const inFlight = new Set<Promise<void>>();

/** Has the key of *Undo* wait for a change, so that it does not undo the one before. */
export function keepUndo(change: Promise<void>): Promise<void> {
  inFlight.add(change);
  return change.finally(() => inFlight.delete(change));
}

/** Undoes the latest change of those that can still be undone. */
async function undoLatest(): Promise<void> {
  await Promise.allSettled(inFlight);
  const [latest] = queue.visibleToasts
    .filter(({ content }) => content.onUndo)
    .sort((one, other) => other.content.since - one.content.since);
  if (latest) undo(latest);
}

/** Shows the messages of `say`. By keyboard they are behind all of the page, so *Undo* has a key. */
export function Toasts() {
  const t = useText();
  useKeys([{ key: 'z', text: t('action.undo'), run: () => void undoLatest() }]);
  return (
    <ToastRegion queue={queue} aria-label={t('toast.label')} className={styles.region!}>
      {({ toast }) => (
        <Toast toast={toast} className={styles.toast!}>
          <ToastContent className={styles.content!}>
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          {toast.content.onUndo && (
            <Button variant="quiet" aria-keyshortcuts="z" onPress={() => undo(toast)}>
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
