import { type Actor, recordAudits } from '../accounts/audit.js';
import type { NotificationState } from '../generated/prisma/client.js';
import type { Database } from '../lib/prisma.js';
import type { Inbox, ListedSubmission } from './inbox.service.js';
import type { InboxFilter, Scope } from './inbox-filter.js';
import type { Place } from './inbox-sql.js';

/** Submissions in memory at a time, whoever is reading. */
const READ_AT_ONCE = 100;

/** Where many are looked through for few, each look goes further. */
const LOOKED_THROUGH_AT_ONCE = 1_000;

/** A submission of an export, with the names of what it refers to. */
export type ExportedSubmission = ListedSubmission & {
  website: { host: string };
  form: { slug: string };
  notificationState: NotificationState | null;
};

/** What somebody takes out. `teamIds` null: of every team there is. */
export type Download = Readonly<{
  /** Of the file, as in `submissions.csv`. */
  name: string;
  teamIds: readonly number[] | null;
  filter: Partial<InboxFilter>;
}>;

export type Exports = ReturnType<typeof createExports>;

export function createExports({ db, inbox }: { db: Database; inbox: Pick<Inbox, 'stretch'> }) {
  /** Adds the names of websites and forms; those already met are remembered. */
  function namer() {
    const hosts = new Map<string, string>();
    const slugs = new Map<number, string>();
    return async (rows: readonly ListedSubmission[]): Promise<ExportedSubmission[]> => {
      const unknown = <T>(ids: T[], known: ReadonlyMap<T, string>) =>
        [...new Set(ids)].filter((id) => !known.has(id));
      const websiteIds = unknown(
        rows.map(({ websiteId }) => websiteId),
        hosts,
      );
      const formIds = unknown(
        rows.map(({ formId }) => formId),
        slugs,
      );
      const [websites, forms, notifications] = await Promise.all([
        websiteIds.length > 0
          ? db.website.findMany({ where: { id: { in: websiteIds } }, select: { id: true, host: true } })
          : [],
        formIds.length > 0
          ? db.form.findMany({ where: { id: { in: formIds } }, select: { id: true, slug: true } })
          : [],
        db.$queryRaw<{ submissionId: string; state: NotificationState }[]>`
          SELECT submission_id::text AS "submissionId", state::text AS state FROM notifications
           WHERE submission_id = ANY (${rows.map(({ id }) => id)}::uuid[])`,
      ]);
      for (const { id, host } of websites) hosts.set(id, host);
      for (const { id, slug } of forms) slugs.set(id, slug);
      const states = new Map(notifications.map(({ submissionId, state }) => [submissionId, state]));
      return rows.map((row) => ({
        ...row,
        website: { host: hosts.get(row.websiteId) ?? '' },
        form: { slug: slugs.get(row.formId) ?? '' },
        notificationState: states.get(row.id) ?? null,
      }));
    };
  }

  return {
    /**
     * Records a download, for each team by itself. By what it was narrowed is told, but not to which values: the text
     * that was looked for may be a visitor's address.
     */
    record(actor: Actor, { name, teamIds, filter }: Download): Promise<void> {
      const narrowedBy = Object.entries(filter).flatMap(([key, value]) => (value === undefined ? [] : [key]));
      const event = {
        action: 'export.downloaded',
        subject: ['export', name],
        detail: { narrowedBy },
      } as const;
      return recordAudits(
        db,
        actor,
        (teamIds ?? [null]).map((teamId) => ({ ...event, teamId })),
      );
    },

    /**
     * Every submission that a filter finds, newest first, some at a time: as much is in memory however many there
     * are. What is recorded after the first look is not part of it.
     */
    async *submissions(scope: Scope, filter: InboxFilter): AsyncGenerator<ExportedSubmission[]> {
      const name = namer();
      const isCostly = filter.text !== undefined || filter.notificationStates !== undefined;
      const limit = isCostly ? LOOKED_THROUGH_AT_ONCE : READ_AT_ONCE;
      let place: Place | null = null;
      do {
        const stretch: Awaited<ReturnType<Inbox['stretch']>> = await inbox.stretch(scope, filter, {
          place,
          limit,
        });
        const rows = stretch.rows.map(({ submission }) => submission);
        if (rows.length > 0) yield await name(rows);
        place = stretch.end;
      } while (place);
    },

    /** The names of the fields of all forms that an export may hold, in the order of the forms. */
    async fieldNames({ teamIds, formIds }: Scope): Promise<string[]> {
      const fields = await db.formField.findMany({
        where: {
          form: {
            ...(teamIds && { teamId: { in: [...teamIds] } }),
            ...(formIds && { id: { in: [...formIds] } }),
          },
        },
        distinct: ['name'],
        orderBy: [{ formId: 'asc' }, { position: 'asc' }],
        select: { name: true },
      });
      return fields.map(({ name }) => name);
    },
  };
}
