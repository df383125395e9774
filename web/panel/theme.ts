/** Colours by choice; null follows the system. */
type Theme = 'light' | 'dark';

const KEY = 'formgate-theme';

/** Applies the theme and remembers it in this browser, so that the next page begins with it. */
export function applyTheme(theme: Theme | null): void {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  try {
    if (theme) localStorage.setItem(KEY, theme);
    else localStorage.removeItem(KEY);
  } catch {
    // A browser that keeps nothing shows the system's colours until the account is read.
  }
}

/** Applies the theme that this browser remembers. */
export function applyRememberedTheme(): void {
  try {
    const theme = localStorage.getItem(KEY);
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // As above.
  }
}
