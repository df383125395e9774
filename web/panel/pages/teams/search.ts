import { matching, NUMBER, oneOf } from '../../parts/search/search-params.js';

/** Whether a team is suspended, as the list can be narrowed to it. */
export const SHOWN = ['active', 'suspended'] as const;
export type Shown = (typeof SHOWN)[number];

/** The state of the list in the address. */
export type TeamsSearch = { q?: string; plan?: string; show?: Shown };

/** Reads the state of the list from the address; what is not understood is left out. */
export const readTeamsSearch = ({ q, plan, show }: Record<string, unknown>): TeamsSearch => ({
  q: matching(/\S/, q)?.slice(0, 200),
  plan: matching(NUMBER, plan),
  show: oneOf(SHOWN, show),
});

/** Whether the list is narrowed. */
export const isNarrowed = ({ q, plan, show }: TeamsSearch): boolean => Boolean(q || plan || show);
