import { matching, UUID } from '../../parts/search/search-params.js';
import { type PeriodSearch, readPeriodSearch } from '../../parts/statistics/period.js';
import { readSource, type Source } from '../../parts/statistics/sources.js';

/** The state of the page in the address, beside the team. */
type StatisticsSearch = PeriodSearch & {
  by?: Source;
  /** The website that the figures are about; else all of the team. */
  site?: string;
};

/** Reads the state of the page from the address; what is not understood is left out. */
export const readStatisticsSearch = (search: Record<string, unknown>): StatisticsSearch => ({
  ...readPeriodSearch(search),
  by: readSource(search.by),
  site: matching(UUID, search.site),
});
