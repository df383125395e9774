/**
 * Runs a function once what has been rendered is on the screen, or at once in a hidden tab, which paints nothing.
 *
 * @returns what keeps it from being run.
 */
export function afterPaint(run: () => void): () => void {
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(end);
  };
  const cancel = () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', wait);
  };
  function end(): void {
    cancel();
    run();
  }
  if (document.visibilityState === 'visible') {
    frame = requestAnimationFrame(wait);
    // A tab that is hidden meanwhile gets no frame.
    document.addEventListener('visibilitychange', wait);
  } else wait();
  return cancel;
}
