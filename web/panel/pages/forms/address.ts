import { text } from '../../parts/search/search-params.js';

/** The state of the page in the address: the search, and whether a form is being created. */
type FormsSearch = { q?: string; create?: true };

/** Reads the state of the page from the address; what is not understood is left out. */
export const readFormsSearch = ({ q, create }: Record<string, unknown>): FormsSearch => ({
  q: text(q),
  create: String(create) === 'true' ? true : undefined,
});
