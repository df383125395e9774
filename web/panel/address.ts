// In a variable, or Vite would take what follows for the address of an asset.
const here = import.meta.url;

/** Path of the panel, as in `/panel/`: scripts are in `assets/` below it. */
export const PANEL = new URL('..', here).pathname;

/** Path of the gateway, as in `/`. */
export const GATEWAY = new URL('../..', here).pathname;

/** Reads search parameters as texts, the last one where a name is repeated. */
export const parseSearch = (search: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(search));

/** Writes the search parameters that are set; the entries of a list are joined by commas. */
export function stringifySearch(search: Record<string, unknown>): string {
  const set = Object.entries(search).filter(([, value]) => value != null && value !== '');
  const written = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return written && `?${written.replaceAll('%2C', ',').replaceAll('%2F', '/')}`;
}
