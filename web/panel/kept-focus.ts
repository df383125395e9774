/**
 * Gives the focus to the page whenever the element that had it is removed, as the button of a row that a press has
 * deleted: the next Tab would start at the top of the window, and a screen reader would fall silent.
 */
export function keepFocus(): void {
  let focused: EventTarget | null = null;
  document.addEventListener('focusin', ({ target }) => {
    focused = target;
  });
  const isLost = () =>
    focused instanceof Element && !focused.isConnected && document.activeElement === document.body;
  new MutationObserver(() => {
    if (!isLost()) return;
    // React Aria gives it back to what opened a dialog in the frame after the dialog has gone.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (isLost()) document.querySelector('main')?.focus({ preventScroll: true });
      }),
    );
  }).observe(document.body, { childList: true, subtree: true });
}
