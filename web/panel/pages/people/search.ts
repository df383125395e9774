import { oneOf, text } from '../../parts/search/search-params.js';

/** The lists of accounts that the page offers beside all of them. */
export const SHOWN = ['staff', 'clients', 'without', 'disabled'] as const;

export type Shown = (typeof SHOWN)[number];

/** What the address of the page says. */
export type PeopleSearch = { q?: string | undefined; show?: Shown | undefined };

/** Reads the search parameters of the page. */
export const readPeopleSearch = ({ q, show }: Record<string, unknown>): PeopleSearch => ({
  q: text(q),
  show: oneOf(SHOWN, show),
});

/** Returns the filter of the gateway for a list. */
export function filterOf(show: Shown | undefined) {
  switch (show) {
    case 'staff':
      return { staff: true };
    case 'clients':
      return { staff: false };
    case 'without':
      return { secondFactor: false, disabled: false };
    case 'disabled':
      return { disabled: true };
    default:
      return {};
  }
}
