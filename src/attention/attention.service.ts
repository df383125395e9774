import type { Db } from '../db/client.js';
import type { Page } from '../db/paging.js';
import type { Clock } from '../lib/clock.js';
import { groupsOf } from '../lib/group-by.js';
import { joinInFlight } from '../lib/join-in-flight.js';
import { type LimitedLog, limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import {
  type AttentionItem,
  type AttentionKind,
  type AttentionScope,
  type FoundItem,
  stopsMailOfTeam,
} from './attention-item.js';
import { ATTENTION_SOURCES } from './attention-sources.js';
import { inOrder, pageOf } from './order.js';
import { readSetAsides } from './set-asides.queries.js';
import { readTeamsOfHeld } from './sources/mail.queries.js';
import { readToday, type Today } from './today.js';

type Selection = AttentionScope &
  Readonly<{
    /** Null: every kind. */
    kinds?: readonly AttentionKind[] | null;
    now: Date;
  }>;

/** What was found, and the checks that failed. */
type Findings<Item = AttentionItem> = Readonly<{
  items: Item[];
  failures: readonly Readonly<{ kinds: readonly AttentionKind[]; error: unknown }>[];
}>;

/** Says that some check failed, whatever its teams. */
const uncheckedItem = (now: Date): AttentionItem => ({
  kind: 'UNCHECKED',
  severity: 'WARNING',
  action: 'OPEN_GUIDE',
  since: now,
  facts: {},
  teamId: null,
  websiteId: null,
  formId: null,
  subject: null,
});

type Checks = Readonly<{ db: Db; logError: LimitedLog }>;

/**
 * Runs the checks of some kinds. One that fails hides none of the others: an item says that one did, and the log why.
 */
async function runChecks(
  { db, logError }: Checks,
  { teamIds, kinds = null, now }: Selection,
): Promise<Findings<FoundItem>> {
  const wanted = new Set(kinds);
  const isWanted = (kind: AttentionKind) => kinds === null || wanted.has(kind);
  const sources = ATTENTION_SOURCES.filter(
    (source) =>
      (teamIds === null || !source.ofInstallation) &&
      (wanted.has('UNCHECKED') || source.kinds.some(isWanted)),
  );
  const outcomes = await Promise.allSettled(sources.map((source) => source.read(db, { teamIds, now })));
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [{ kinds: sources[index]!.kinds, error: outcome.reason }] : [],
  );
  if (failures.length > 0 && failures.length === sources.length) throw failures[0]!.error;
  for (const failure of failures) logError(failure.error, `Attention not checked: ${failure.kinds}`);
  const found = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  const items = [
    ...(failures.length > 0 ? [uncheckedItem(now)] : []),
    ...found.filter(({ kind }) => isWanted(kind)),
  ];
  return { items: inOrder(items), failures };
}

/** Leaves out what a person has set aside at a moment. */
async function withoutExpected(db: Db, checked: Promise<Findings<FoundItem>>, now: Date): Promise<Findings> {
  const [{ items, failures }, setAsides] = await Promise.all([checked, readSetAsides(db, now)]);
  const expected = new Set(setAsides.map(({ websiteId, kind }) => `${websiteId} ${kind}`));
  const isListed = ({ kind, websiteId, onlyWhere }: FoundItem) =>
    !expected.has(`${websiteId} ${kind}`) &&
    (!onlyWhere || expected.has(`${websiteId} ${onlyWhere.kind}`) === onlyWhere.isSetAside);
  return { items: items.filter(isListed), failures };
}

/**
 * Reads what needs attention, the most urgent first, without what a person has set aside.
 *
 * @param kinds Null: every kind. `UNCHECKED` alone runs every check.
 * @throws the first error when every check fails.
 */
export const readAttention = (checks: Checks, selection: Selection): Promise<Findings> =>
  withoutExpected(checks.db, runChecks(checks, selection), selection.now);

export type Attention = ReturnType<typeof createAttention>;

/** Tells the panel what needs attention, and how the day goes. */
export function createAttention({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) {
  const logError = limitLog(log, 'error');

  /** Runs checks, once for concurrent calls: the start page requests list and number at the same time. */
  const check = joinInFlight(
    (teamIds: Selection['teamIds'], kinds: readonly AttentionKind[] | null): Promise<Findings<FoundItem>> =>
      runChecks({ db, logError }, { teamIds, kinds, now: clock() }),
  );

  /**
   * Reads what needs attention. Each call reads the set-asides itself, so that it sees one that was made just before.
   */
  const read = ({ teamIds, kinds = null }: Omit<Selection, 'now'>): Promise<Findings> =>
    withoutExpected(db, check(teamIds, kinds), clock());

  return {
    /** Lists a page of what needs attention, the most urgent first. */
    list: async (selection: Omit<Selection, 'now'>, page: Page): Promise<AttentionItem[]> =>
      pageOf((await read(selection)).items, page),

    /** Lists what needs attention in each of some teams, the most urgent first; that a check failed concerns each. */
    async ofTeams(teamIds: readonly number[]): Promise<AttentionItem[][]> {
      const { items } = await read({ teamIds });
      const ofEach = items.flatMap((item) =>
        item.kind === 'UNCHECKED' ? teamIds.map((teamId) => ({ ...item, teamId })) : [item],
      );
      return groupsOf(teamIds, ofEach, ({ teamId }) => teamId);
    },

    /**
     * Lists the ids of the websites about which something needs attention.
     *
     * @throws the error of a check that fails, since the list would lack websites.
     */
    async troubledWebsites(teamIds: AttentionScope['teamIds']): Promise<string[]> {
      const { items, failures } = await read({ teamIds });
      if (failures.length > 0) throw failures[0]!.error;
      const stopped = items.filter(stopsMailOfTeam).map(({ teamId }) => teamId);
      // The item of the whole installation names no teams.
      const held = stopped.includes(null) ? await readTeamsOfHeld(db, clock()) : [];
      const ofTeams = await db.orm.website.findMany({
        where: { teamId: { in: [...stopped.flatMap((teamId) => teamId ?? []), ...held] }, disabled: false },
        select: { id: true },
      });
      return [
        ...new Set([...items.flatMap(({ websiteId }) => websiteId ?? []), ...ofTeams.map(({ id }) => id)]),
      ];
    },

    /** Reads how the day goes, and counts what needs attention. */
    async today(scope: AttentionScope): Promise<Today & { attentionCount: number }> {
      const [today, { items }] = await Promise.all([readToday(db, scope, clock()), read(scope)]);
      return { ...today, attentionCount: items.length };
    },
  };
}
