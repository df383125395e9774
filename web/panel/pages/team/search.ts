import { matching, NUMBER } from '../../parts/search/search-params.js';
import { readDay } from '../../parts/time/day.js';

/** The state of a team's page in the address. */
export type TeamSearch = {
  /** The selected tab (`pages/team.tsx`); without one it shows the members. */
  tab?: string;
  /** What the audit trail is narrowed to: an action, or a prefix that ends with a dot. */
  action?: string;
  /** The account that acted. */
  by?: string;
  /** First and last day of the audit trail. */
  from?: string;
  to?: string;
};

/** Reads the state of the page from the address; what is not understood is left out. */
export const readTeamSearch = (search: Record<string, unknown>): TeamSearch => ({
  tab: matching(/^[a-z]{1,20}$/, search.tab),
  action: matching(/^[a-z_]{1,40}\.[a-z_]{0,60}$/, search.action),
  by: matching(NUMBER, search.by),
  from: readDay(search.from),
  to: readDay(search.to),
});

/** An address: its page, and the state of that page. */
type Place = Readonly<{ pathname: string; search: object }>;

const tabAt = ({ search }: Place): string | undefined => readTeamSearch({ ...search }).tab;

/** Whether an address shows another tab or another page. */
export const leavesTab = ({ current, next }: Readonly<{ current: Place; next: Place }>): boolean =>
  current.pathname !== next.pathname || tabAt(current) !== tabAt(next);
