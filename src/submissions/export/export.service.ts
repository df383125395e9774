import { type Actor, recordAudits } from '../../audit/audit.js';
import type { Scope } from '../../auth/policy.js';
import type { Db } from '../../db/client.js';
import { isCostly, type Position } from '../inbox/inbox.queries.js';
import type { Inbox, Window } from '../inbox/inbox.service.js';
import type { InboxFilter } from '../inbox/inbox-filter.schema.js';
import { type ListedSubmission, readListed } from '../inbox/listed-submission.js';
import { readExported, readFieldNames } from './export.queries.js';

/** Submissions that one export holds in memory at a time, at most. */
const ROWS_PER_BATCH = 100;

/** Submissions that one statement scans where the filter is costly and may match only a few of them. */
const ROWS_PER_SCAN = 1_000;

/**
 * Maximum fields with a column of their own; the values of others are in the last one. Every row has a separator for
 * each column, and a spreadsheet has room for 16,384 columns.
 */
const MAX_COLUMNS = 2_000;

/** A submission of an export, with the host of its website and the slug of its form. */
export type ExportedSubmission = ListedSubmission & {
  website: { host: string };
  form: { slug: string };
};

/** A download to be recorded in the audit trail. `teamIds` null: of every team there is. */
export type Download = Readonly<{
  /** The file's name, as in `submissions.csv`. */
  name: string;
  teamIds: readonly number[] | null;
  filter: Partial<InboxFilter>;
}>;

export type Exports = ReturnType<typeof createExports>;

/** Reads submissions for downloads, and records each download in the audit trail. */
export function createExports({ db, inbox }: { db: Db; inbox: Pick<Inbox, 'scan'> }) {
  /** Yields submissions in the order of the ids, with the hosts and slugs they refer to. */
  async function* read(ids: readonly string[]): AsyncGenerator<ExportedSubmission[]> {
    for (let rest = ids; rest.length > 0; ) {
      const rows = await readExported(db, rest);
      const last = rows.at(-1);
      if (!last) return;
      yield rows.map(({ json, host, slug }) => ({ ...readListed(json), website: { host }, form: { slug } }));
      rest = rest.slice(rest.indexOf(last.id) + 1);
    }
  }

  return {
    /**
     * Records a download in the audit trail, with an entry for each team.
     *
     * The entry names the filter's keys but not their values: the search text may be a visitor's address.
     */
    record(actor: Actor, { name, teamIds, filter }: Download): Promise<void> {
      const narrowedBy = Object.entries(filter).flatMap(([key, value]) => (value === undefined ? [] : [key]));
      const event = {
        action: 'export.downloaded',
        subject: ['export', name],
        detail: { narrowedBy },
      } as const;
      return recordAudits(
        db.orm,
        actor,
        (teamIds ?? [null]).map((teamId) => ({ ...event, teamId })),
      );
    },

    /**
     * Yields every submission that matches a filter, newest first, in batches, so that memory use is bounded.
     *
     * Where a scan has found nothing it yields an empty batch, so that the reader can end an export which finds nothing
     * for long. Submissions recorded after the first batch was read are not part of it.
     */
    async *submissions(scope: Scope, filter: InboxFilter): AsyncGenerator<ExportedSubmission[]> {
      const limit = isCostly(filter) ? ROWS_PER_SCAN : ROWS_PER_BATCH;
      let position: Position | null = null;
      do {
        const window: Window = await inbox.scan(scope, filter, { position, limit });
        for (let start = 0; start < window.found.length; start += ROWS_PER_BATCH) {
          yield* read(window.found.slice(start, start + ROWS_PER_BATCH).map(({ id }) => id));
        }
        if (window.found.length === 0) yield [];
        position = window.end;
      } while (position);
    },

    /** Lists the fields that have a column of their own, in the order of the forms. */
    fieldNames: (scope: Scope): Promise<string[]> => readFieldNames(db, scope, MAX_COLUMNS),
  };
}
