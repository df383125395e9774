import type { graphql } from '../../graphql.js';
import { matching, NUMBER, oneOf, UUID } from '../../parts/search/search-params.js';
import { dayOf, readDay, startOf } from '../../parts/time/day.js';

/** What the list shows: leads of a state, those whose e-mail did not go out or waits, or all. */
export const FOLDERS = [
  'new',
  'in_progress',
  'done',
  'spam',
  'archived',
  'failed',
  'waiting',
  'held',
  'all',
] as const;
export type Folder = (typeof FOLDERS)[number];

/** Periods that end now; others are `from` and `to`. */
export const PERIODS = ['today', 'week', 'month', 'year'] as const;
export type Period = (typeof PERIODS)[number];

/** The state of the inbox in the address, beside the team and the lead that is open. */
export type InboxSearch = {
  folder?: Folder;
  q?: string;
  website?: string[];
  form?: string[];
  period?: Period;
  /** First day, in the viewer's time zone. */
  from?: string;
  /** Last day. */
  to?: string;
  /** Month of UTC, as quotas count it, such as 2026-11. */
  month?: string;
  language?: string;
  /** Only leads that were let through without a captcha. */
  review?: true;
};

/** What a query of the gateway is narrowed by. */
export type Filter = ReturnType<typeof graphql.scalar<'SubmissionFilter'>>;
export type LeadState = ReturnType<typeof graphql.scalar<'SubmissionState'>>;

/** As many ids as the gateway takes in a filter. */
const MAX_IDS = 200;

/** Reads ids from a text, or from a list that was read before. */
function ids(pattern: RegExp, value: unknown): string[] | undefined {
  const found = String(value ?? '')
    .split(',')
    .filter((id) => pattern.test(id));
  return found.length > 0 ? found.slice(0, MAX_IDS) : undefined;
}

/** Reads the state of the inbox from the address; what is not understood is left out. */
export const readInboxSearch = (search: Record<string, unknown>): InboxSearch => ({
  folder: oneOf(FOLDERS, search.folder),
  q: matching(/\S/, search.q)?.slice(0, 200),
  website: ids(UUID, search.website),
  form: ids(NUMBER, search.form),
  period: oneOf(PERIODS, search.period),
  from: readDay(search.from),
  to: readDay(search.to),
  month: readDay(`${search.month}-01`)?.slice(0, 7),
  language: matching(/^[a-z]{2,3}$/, search.language),
  review: String(search.review) === 'true' ? true : undefined,
});

/** The folder that is shown: a search looks through all of them unless one is chosen. */
export const folderOf = ({ folder, q }: InboxSearch): Folder => folder ?? (q ? 'all' : 'new');

/** States of leads that are neither spam nor archived. */
const OPEN: readonly LeadState[] = ['new', 'in_progress', 'done'];

/** States that a lead may have to be in the folder; null: any. */
const STATES: Readonly<Record<Folder, readonly LeadState[] | null>> = {
  new: ['new'],
  in_progress: ['in_progress'],
  done: ['done'],
  spam: ['spam'],
  archived: ['archived'],
  failed: OPEN,
  waiting: null,
  held: OPEN,
  all: null,
};

/** Whether a lead of this state is in the folder. */
export const isInFolder = (folder: Folder, state: LeadState): boolean =>
  STATES[folder]?.includes(state) ?? true;

const DAYS: Readonly<Record<Period, number>> = { today: 1, week: 7, month: 30, year: 365 };

/** The beginning of a month of UTC, some months later. */
function startOfMonth(month: string, monthsLater: number): string {
  const start = new Date(`${month}-01`);
  start.setUTCMonth(start.getUTCMonth() + monthsLater);
  return start.toISOString();
}

/** Whether the gateway takes a search: none, or one with at least two letters or digits. */
export const isSearchable = (text: string | null | undefined): boolean =>
  !text || (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2;

/**
 * Returns what the queries are narrowed by, whatever the folder. It keeps a text that is not searchable, so that the
 * gateway refuses such a filter instead of finding every lead.
 */
export function filterOf(search: InboxSearch & { team?: string }): Filter {
  const { team, q, website, form, language, review, period, from, to, month } = search;
  return {
    ...(team && { teamId: team }),
    ...(q && { text: q.trim() }),
    ...(website && { websiteIds: website }),
    ...(form && { formIds: form }),
    ...(language && { locale: language }),
    ...(review && { needsReview: true }),
    ...(period ? { from: startOf(dayOf(new Date()), 1 - DAYS[period]) } : from && { from: startOf(from) }),
    ...(!period && to && { to: startOf(to, 1) }),
    ...(month && { from: startOfMonth(month, 0), to: startOfMonth(month, 1) }),
  };
}

/** Returns a filter narrowed to a folder. */
export function inFolder(filter: Filter, folder: Folder): Filter {
  const states = STATES[folder];
  return {
    ...filter,
    ...(states && { states: [...states] }),
    ...(folder === 'failed' && { notificationStates: ['failed', 'no_recipient', 'bounced'] }),
    ...(folder === 'waiting' && { notificationStates: ['pending'] }),
    ...(folder === 'held' && { notificationStates: ['skipped_quota'] }),
  };
}

/** Whether the list is narrowed by more than its folder and the team. */
export const isNarrowed = ({
  q,
  website,
  form,
  period,
  from,
  to,
  month,
  language,
  review,
}: InboxSearch): boolean =>
  [q, website, form, period, from, to, month, language, review].some((one) => one !== undefined);

/** How many days a view of the inbox goes back, whenever it is looked at; null when it does not. */
export const lastDaysOf = ({ period }: InboxSearch): number | null => (period ? DAYS[period] : null);

/**
 * Whether a filter is of the folder: by what became of the e-mails, where either says so, else by the leads' states.
 */
function isOfFolder(folder: Folder, filter: Filter): boolean {
  const own = inFolder({}, folder);
  const { notificationStates: ended } = filter;
  // A view that was kept by an earlier version may lack a state of its folder.
  if (own.notificationStates || ended)
    return ended?.every((one) => own.notificationStates?.includes(one)) ?? false;
  return String(own.states ?? '') === String(filter.states ?? '');
}

/** Returns the address of a view: the inverse of `filterOf` and `inFolder`. */
export function searchOf(filter: Filter, lastDays: number | null): InboxSearch & { team?: string } {
  const { teamId, text, websiteIds, formIds, locale, needsReview, from, to } = filter;
  const month = from?.slice(0, 7);
  const isMonth = month && from === startOfMonth(month, 0) && to === startOfMonth(month, 1);
  return {
    folder: FOLDERS.find((folder) => isOfFolder(folder, filter)) ?? 'all',
    // Said even of all teams, since the team of the present address would stay.
    team: teamId ?? undefined,
    ...(text && { q: text }),
    ...(websiteIds && { website: [...websiteIds] }),
    ...(formIds && { form: [...formIds] }),
    ...(locale && { language: locale }),
    ...(needsReview && { review: true as const }),
    ...(lastDays !== null
      ? { period: PERIODS.find((period) => DAYS[period] >= lastDays) ?? 'year' }
      : isMonth
        ? { month }
        : { ...(from && { from: dayOf(from) }), ...(to && { to: dayOf(to, -1) }) }),
  };
}
