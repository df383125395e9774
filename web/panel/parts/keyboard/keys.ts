import { useEffect, useRef, useSyncExternalStore } from 'react';

/** A key of a page: what it does, in words and in deed. */
export type Key = Readonly<{
  /** As the browser names it, after `Ctrl+` if it is pressed with Ctrl, or with Command on a Mac. */
  key: string;
  text: string;
  /** Whether it runs again and again while it is held. */
  isRepeating?: boolean;
  run(): void;
}>;

const STORED = 'formgate-keys';

/** Whether keys of a single character are in use: who speaks to the computer may set one off by a word. */
export function areKeysOn(): boolean {
  try {
    return localStorage.getItem(STORED) !== 'off';
  } catch {
    return true;
  }
}

/** Turns keys of a single character on or off in this browser. */
export function turnKeys(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, 'off');
  } catch {
    // A browser that keeps nothing has them on.
  }
}

const isInUse = ({ key }: Pick<Key, 'key'>): boolean => key.length > 1 || areKeysOn();

let shown: readonly (readonly Key[])[] = [];
const listeners = new Set<() => void>();

function change(next: typeof shown): void {
  shown = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

let openHelp: (() => void) | null = null;

/** Opens the list of keys, when the shell shows one. */
export const showKeys = (): void => openHelp?.();

/** Sets what opens the list of keys. */
export const onShowKeys = (open: (() => void) | null): void => {
  openHelp = open;
};

/** Returns the keys that are in use at present. */
export const useShownKeys = (): readonly Key[] =>
  useSyncExternalStore(subscribe, () => shown)
    .flat()
    .filter(isInUse);

/** Whether a key is meant for what has the focus: a menu or dialog is open, or text is being typed by keys alone. */
function isTakenBy(target: EventTarget | null, isTyping: boolean): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('[role=dialog], [role=menu]')) return true;
  return (
    isTyping &&
    (target.isContentEditable ||
      target.closest('input:not([type=checkbox], [type=radio]), textarea, select') !== null)
  );
}

/** Whether a key presses what has the focus: a link is followed, a button is pressed, details are unfolded. */
const isPress = ({ key, target }: KeyboardEvent): boolean =>
  (key === 'Enter' || key === ' ') &&
  target instanceof HTMLElement &&
  target.closest('a[href], button, summary') !== null;

/** Gives keys to a page, as long as it is shown. */
export function useKeys(keys: readonly Key[]): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  const texts = keys.map(({ key, text }) => `${key} ${text}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list changes with its texts.
  useEffect(() => {
    const mine = current.current;
    change([...shown, mine]);
    const press = (event: KeyboardEvent) => {
      const hasControl = event.ctrlKey || event.metaKey;
      if (event.altKey || event.defaultPrevented || isTakenBy(event.target, !hasControl) || isPress(event)) {
        return;
      }
      const pressed = hasControl ? `Ctrl+${event.key.toUpperCase()}` : event.key;
      const found = current.current.find(({ key }) => key === pressed);
      if (!found || !isInUse(found)) return;
      event.preventDefault();
      if (!event.repeat || found.isRepeating) found.run();
    };
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('keydown', press);
      change(shown.filter((one) => one !== mine));
    };
  }, [texts]);
}
