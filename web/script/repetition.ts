import { nextPauseS } from './gateway.js';

/** Debounces a repetition after a change in the form, so that nothing half typed is sent. */
const DEBOUNCE_MS = 5_000;

/** Creates the timer of a form's repetitions, each after a longer pause than the one before. */
export function createRepetition(repeat: () => void) {
  /** Pause before the last repetition, in seconds. */
  let pauseS = 1;
  /** The repetition to come, if there is one, and its time. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = 0;

  /** Repeats after a pause, and not before the time of a repetition to come. */
  function repeatIn(ms: number): void {
    clearTimeout(timer);
    // Not by the time of day, which may be set back.
    const now = performance.now();
    dueAt = Math.max(dueAt, now + ms);
    timer = setTimeout(repeat, dueAt - now);
  }

  return {
    /** Repeats what was not answered, and not before `Retry-After`, in seconds. */
    repeatAfter(waitS: number | null): void {
      pauseS = nextPauseS(pauseS, waitS);
      repeatIn(pauseS * 1000);
    },
    /**
     * Delays the repetition to come, or repeats one that was due and found the form half typed or wrong: the visitor was
     * told that it is sent again.
     */
    postpone(): void {
      if (timer) repeatIn(DEBOUNCE_MS);
    },
    callOff(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
