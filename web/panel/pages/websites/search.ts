import { matching, oneOf } from '../../parts/search/search-params.js';

/** What the list can be narrowed to, beside team, search and language. */
export const SHOWN = ['attention', 'enabled', 'disabled'] as const;
export type Shown = (typeof SHOWN)[number];

/** The state of the list in the address. */
export type WebsitesSearch = { q?: string; language?: string; show?: Shown };

/** Reads the state of the list from the address; what is not understood is left out. */
export const readWebsitesSearch = ({ q, language, show }: Record<string, unknown>): WebsitesSearch => ({
  q: matching(/\S/, q)?.slice(0, 200),
  language: matching(/^[\w-]{2,10}$/, language),
  show: oneOf(SHOWN, show),
});

/** Whether the list is narrowed by more than the team. */
export const isNarrowed = ({ q, language, show }: WebsitesSearch): boolean => Boolean(q || language || show);
