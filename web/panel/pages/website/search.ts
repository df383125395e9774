import { matching, NUMBER, oneOf } from '../../parts/search/search-params.js';
import { type PeriodSearch, readPeriodSearch } from '../../parts/statistics/period.js';
import { readSource, type Source } from '../../parts/statistics/sources.js';

/** The tabs of a website's page, in their order. */
export const TABS = ['overview', 'forms', 'captcha', 'install', 'statistics', 'settings'] as const;
export type Tab = (typeof TABS)[number];

/** The fragment that leads to the test of the tab *Install*. */
export const TEST_FRAGMENT = 'test';

/** The state of the page in the address; without a tab it shows the overview. */
type WebsiteSearch = {
  tab?: Tab;
  /** The form whose placement is edited. */
  placement?: string;
  /** The captcha step that is shown, by its key. */
  step?: string;
  by?: Source;
} & PeriodSearch;

const STEP = /^[a-z][\w-]*(:[\w-]{1,100})?$/;

/** Reads the state of the page from the address; what is not understood is left out. */
export const readWebsiteSearch = (search: Record<string, unknown>): WebsiteSearch => ({
  tab: oneOf(TABS, search.tab),
  placement: matching(NUMBER, search.placement),
  step: matching(STEP, search.step),
  ...readPeriodSearch(search),
  by: readSource(search.by),
});

/** An address: its page, and the state of that page. */
type Place = Readonly<{ pathname: string; search: object }>;
type Move = Readonly<{ current: Place; next: Place }>;

const stateAt = ({ search }: Place): WebsiteSearch => readWebsiteSearch({ ...search });

/** Whether an address shows another tab or another page. */
export const leavesTab = ({ current, next }: Move): boolean =>
  current.pathname !== next.pathname || stateAt(current).tab !== stateAt(next).tab;

/** Whether an address shows other things than the placement that is edited. */
export const leavesPlacement = ({ current, next }: Move): boolean =>
  leavesTab({ current, next }) || stateAt(current).placement !== stateAt(next).placement;
