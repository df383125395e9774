/** How long a tab may take to be loaded. */
const PATIENCE_MS = 3_000;

/** Focuses the first fault within a part of the page, as soon as it shows one. */
export function focusFault(part: HTMLElement): void {
  const focus = (): boolean => {
    const found = part.querySelector<HTMLElement>('[aria-invalid=true], [data-fault]');
    found?.focus();
    return found !== null;
  };
  if (focus()) return;
  const observer = new MutationObserver(() => {
    if (focus()) observer.disconnect();
  });
  observer.observe(part, { subtree: true, childList: true, attributes: true });
  setTimeout(() => observer.disconnect(), PATIENCE_MS);
}
