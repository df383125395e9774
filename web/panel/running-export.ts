import { useSyncExternalStore } from 'react';
import { countUnsaved } from './parts/form/unsaved.js';

/** An export in flight. */
type RunningExport = Readonly<{
  /** Records that have come. */
  done: number;
  /** Null unless that is known exactly. */
  total: number | null;
  cancel(): void;
}>;

let running: RunningExport | null = null;
const listeners = new Set<() => void>();

function set(now: RunningExport | null): void {
  running = now;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Returns the export in flight, which goes on whatever page is shown; null while there is none. */
export const useRunningExport = (): RunningExport | null => useSyncExternalStore(subscribe, () => running);

/**
 * Downloads an export of leads.
 *
 * @param path below the gateway's address.
 * @param total how many leads it has; null unless that is known exactly.
 * @throws GatewayError when the gateway refuses or breaks off; not when it is cancelled.
 */
export async function runExport(path: string, total: number | null): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const tell = (done: number) => set({ done, total, cancel: () => controller.abort() });
  tell(0);
  const takeBack = countUnsaved();
  try {
    const { download } = await import('./download.js');
    await download(path, signal, tell);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    takeBack();
    set(null);
  }
}
