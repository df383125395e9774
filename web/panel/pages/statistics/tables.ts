import type { useIntl } from 'react-intl';
import type { useText } from '../../language.js';
import type { Source } from '../../parts/statistics/sources.js';
import type { Steps } from '../../parts/statistics/steps.js';
import type { Breakdown, Breakdowns, Statistics } from './queries.js';

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

type Leads = Readonly<{ id: string; name: string; count: number }>;

/** Adds up the leads of entries that have the same id, the most first. */
function addUp(entries: readonly Leads[]): Leads[] {
  return [...Map.groupBy(entries, ({ id }) => id).values()]
    .map((same) => ({ ...same[0]!, count: same.reduce((sum, { count }) => sum + count, 0) }))
    .toSorted((one, other) => other.count - one.count);
}

/** Makes the rows of leads, each beside those of the same thing in the days before. */
function leadRows(now: readonly Leads[], before: readonly Leads[]): CountedRow[] {
  const earlier = new Map(addUp(before).map(({ id, count }) => [id, count]));
  return addUp(now).map(({ id, name, count }) => ({
    id,
    name,
    counts: [count],
    before: [earlier.get(id) ?? 0],
    perStep: [],
  }));
}

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

/** Makes the tables of what the leads of some days were counted by, each figure beside that of the days before. */
export function leadTables(now: Statistics, before: Statistics, { t }: Words): CountedTable[] {
  const leadsBy = (read: (entry: Statistics['submissionsPerForm'][number]) => Leads) => {
    const rows = leadRows(now.submissionsPerForm.map(read), before.submissionsPerForm.map(read));
    return { counted: [t('stats.leads')], rows, total: rows.length, steps: null };
  };
  return [
    {
      id: 'websites',
      title: t('report.websites'),
      what: t('filter.website'),
      ...leadsBy(({ websiteId, website, count }) => ({ id: websiteId, name: website.name, count })),
    },
    {
      id: 'forms',
      title: t('stats.forms'),
      what: t('stats.form'),
      ...leadsBy(({ formId, form, count }) => ({ id: formId, name: form.name, count })),
    },
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
