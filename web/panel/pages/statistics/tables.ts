import type { useIntl } from 'react-intl';
import type { useText } from '../../language.js';
import type { Source } from '../../parts/statistics/sources.js';
import type { Steps } from '../../parts/statistics/steps.js';
import type { Breakdown, Breakdowns, Leads } from './queries.js';

/** A row of a table: what was counted, its counts, those of the days before, and its course. */
type CountedRow = Readonly<{
  id: string;
  name: string;
  counts: readonly number[];
  /** Null: it is not known. */
  before: readonly (number | null)[];
  /** Its counts in each step, a list for each count. */
  perStep: readonly (readonly number[])[];
}>;

/** A table of the page and of the file. */
export type CountedTable = Readonly<{
  id: 'sources' | 'pages' | 'websites' | 'forms' | 'languages';
  title: string;
  /** Names what is counted. */
  what: string;
  /** Names the counts. */
  counted: readonly string[];
  rows: readonly CountedRow[];
  /** How many rows there are, listed or not. */
  total: number;
  /** The steps of the courses; null: the rows have none. */
  steps: Steps | null;
}>;

type Words = Readonly<{
  t: ReturnType<typeof useText>;
  formatDisplayName: ReturnType<typeof useIntl>['formatDisplayName'];
}>;

type Item = Breakdown['items'][number];

const PAGE_VIEWS = ['pageViews', 'pageViewsBefore', 'pageViewsPerStep'] as const;
const LEADS = ['submissions', 'submissionsBefore', 'submissionsPerStep'] as const;

/** Makes the rows of a breakdown from the counts that it has. */
const itemRows = (
  { items }: Breakdown,
  counts: readonly (typeof PAGE_VIEWS | typeof LEADS)[],
  nameOf: (value: Item['value']) => string,
): CountedRow[] =>
  items.map((item) => ({
    id: item.value ?? '',
    name: nameOf(item.value),
    counts: counts.map(([now]) => item[now] ?? 0),
    before: counts.map(([, before]) => item[before]),
    perStep: counts.map(([, , perStep]) => item[perStep] ?? []),
  }));

/** Makes the tables of the websites and forms with the most leads, each figure beside that of the days before. */
export function leadTables({ websites, forms }: Leads, { t }: Words): CountedTable[] {
  const leadsOf = ({ items, total }: Leads['websites' | 'forms']) => ({
    counted: [t('stats.leads')],
    rows: items.map(({ id, name, submissions, submissionsBefore }) => ({
      id,
      name,
      counts: [submissions],
      before: [submissionsBefore],
      perStep: [],
    })),
    total,
    steps: null,
  });
  return [
    { id: 'websites', title: t('report.websites'), what: t('filter.website'), ...leadsOf(websites) },
    { id: 'forms', title: t('stats.forms'), what: t('stats.form'), ...leadsOf(forms) },
  ];
}

/** Makes the tables of the breakdowns of some days, each figure beside that of the days before. */
export function breakdownTables(
  { pages, sources, languages }: Breakdowns,
  by: Source,
  { t, formatDisplayName }: Words,
): CountedTable[] {
  const [views, leads] = [t('stats.pageViews'), t('stats.leads')];
  return [
    {
      id: 'sources',
      title: t('stats.sources'),
      what: t(`stats.by.${by}`),
      counted: [views, leads],
      rows: itemRows(
        sources,
        [PAGE_VIEWS, LEADS],
        (value) => value ?? t(by === 'referrer' ? 'stats.direct' : 'stats.without'),
      ),
      total: sources.total,
      steps: sources,
    },
    {
      id: 'pages',
      title: t('stats.pages'),
      what: t('stats.page'),
      counted: [views],
      rows: itemRows(pages, [PAGE_VIEWS], (value) => value ?? t('stats.without')),
      total: pages.total,
      steps: pages,
    },
    {
      id: 'languages',
      title: t('stats.languages'),
      what: t('stats.language'),
      counted: [leads],
      rows: itemRows(
        languages,
        [LEADS],
        (value) => formatDisplayName(value ?? '', { type: 'language' }) ?? value ?? '',
      ),
      total: languages.total,
      steps: languages,
    },
  ];
}
