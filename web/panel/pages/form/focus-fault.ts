/** How long a tab may take to be loaded. */
const PATIENCE_MS = 3_000;

/** What has a text box of its own, which is named by its path within the form or the field. */
const BOXES =
  /^(name|label|placeholder|helpText|linkUrl|attributes\..+|options\.\d+\.(label|value)|submitButtonText|confirmationMessage|privacyNotice\w+)$/;

const TRANSLATION = /^(?:fields\.(\d+)\.)?(?:options\.(\d+)\.)?translations\.\d+\.(\w+)$/;

/** Returns the selector of what is at fault at a path; of anything at fault where that has no box of its own. */
function selectorOf(path: string): string {
  const [, field = '', option = '', text] = TRANSLATION.exec(path) ?? [];
  // As the translations name their boxes.
  if (text) return `#text-${field}-${option}-${text}`;
  const name = path.replace(/^fields\.\d+\./, '');
  return BOXES.test(name)
    ? `[name="${CSS.escape(name)}"][aria-invalid=true]`
    : '[aria-invalid=true], [data-fault]';
}

/** Focuses what is at fault at a path within a part of the page, as soon as it shows that. */
export function focusFault(part: HTMLElement, path: string): void {
  const selector = selectorOf(path);
  const focus = (): boolean => {
    const found = part.querySelector<HTMLElement>(selector);
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
