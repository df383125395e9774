import { type Request, Router } from 'express';
import { z } from 'zod';
import { recordAudit } from '../audit/audit.js';
import type { AuditEntry, AuditFilter, AuditLog } from '../audit/audit-log.queries.js';
import { detailText } from '../audit/detail-text.js';
import { type SubjectNames, subjectKey } from '../audit/subject-names.js';
import { requireViewer } from '../auth/session-cookie.js';
import type { Sessions } from '../auth/sessions.service.js';
import type { Config } from '../config.js';
import type { Db } from '../db/client.js';
import { roleNotAllowed } from '../errors.js';
import { csvLines, type Downloads, readQuery, withFirstBatch } from '../http/downloads.js';
import { clientIp } from '../http/limits/client-ip.js';
import type { Clock } from '../lib/clock.js';
import { groupBy } from '../lib/group-by.js';
import { intId } from '../lib/id.schemas.js';
import { text } from '../lib/input.schema.js';
import { instant } from '../lib/instant.schema.js';
import type { Cell } from '../lib/text/csv.js';
import type { Account } from './accounts.queries.js';
import type { Accounts } from './accounts.service.js';
import { readAuditTeam } from './audit-scope.js';
import { isOfAgency } from './is-of-agency.js';

type Services = Readonly<{
  config: Pick<Config, 'publicUrl'>;
  db: Db;
  sessions: Pick<Sessions, 'viewerOf'>;
  auditLog: AuditLog;
  accounts: Pick<Accounts, 'byIds'>;
  subjectNames: SubjectNames;
  downloads: Downloads;
  clock: Clock;
}>;

const NAME = 'audit.csv';

/** Identifies a team among the subjects. */
const teamKey = (id: number | null): string | null =>
  id === null ? null : subjectKey({ subjectType: 'team', subjectId: String(id) });

/** Events that one statement reads. */
const ROWS_PER_BATCH = 1_000;

const COLUMNS = [
  'Event',
  'At',
  'Team',
  'Team name',
  'Actor',
  'Actor name',
  'Actor address',
  'Channel',
  'Action',
  'Subject type',
  'Subject',
  'Subject name',
  'IP address',
  'Detail',
];

const writtenInstant = z.iso
  .datetime({ offset: true, error: 'must be an instant in ISO 8601' })
  .transform((written): unknown => written)
  .pipe(instant);

const filterSchema = z.object({
  teamId: z.string().optional(),
  actorId: intId.optional(),
  action: text(100).optional(),
  from: writtenInstant.optional(),
  until: writtenInstant.optional(),
});

/** An event with the names that its ids have now; null: it has none, or what it names was deleted. */
type Row = AuditEntry &
  Readonly<{
    actor: Account | null;
    teamName: string | null;
    subjectName: string | null;
    isIpShown: boolean;
  }>;

const record = ({ actor, ...event }: Row): Cell[] => [
  event.id,
  event.createdAt.toISOString(),
  event.teamId ?? '',
  event.teamName ?? '',
  event.actorId ?? '',
  actor?.name ?? '',
  actor?.email ?? '',
  event.channel,
  event.action,
  event.subjectType,
  event.subjectId,
  event.subjectName ?? '',
  event.isIpShown ? (event.ip ?? '') : '',
  detailText(event.detail),
];

/**
 * Serves the audit trail as CSV: of one team for its managers, of every team for staff.
 *
 * The reader's speed sets the pace, and a closed connection ends the download, as does the end of the right to it.
 */
export function auditExportController(services: Services): Router {
  const { config, db, sessions, auditLog, accounts, subjectNames, downloads, clock } = services;
  const session = { publicUrl: config.publicUrl, sessions };
  const router = Router();

  /** Reads what teams and other subjects are called, each once. */
  async function namesOf(keys: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    const unique = [...new Set(keys)];
    const names = await subjectNames.byKeys(unique);
    return new Map(unique.map((key, index) => [key, names[index] ?? null]));
  }

  /** Yields the events of a filter in batches, the latest first, with the names of what they are about. */
  async function* events(filter: AuditFilter, isStaff: boolean): AsyncGenerator<Row[]> {
    let cursor: [string, string] | null = null;
    do {
      const page = { limit: ROWS_PER_BATCH, direction: 'forward', cursor } as const;
      const found = await auditLog.list(filter, page);
      const shown = found.slice(0, ROWS_PER_BATCH);
      const ids = [...groupBy(shown, ({ actorId }) => actorId).keys()].filter((id) => id !== null);
      const keys = [...shown.map(subjectKey), ...shown.flatMap(({ teamId }) => teamKey(teamId) ?? [])];
      const [actors, names] = await Promise.all([accounts.byIds(ids), namesOf(keys)]);
      const byId = new Map(actors.map((actor, index) => [ids[index], actor]));
      yield shown.map((event) => {
        const actor = event.actorId === null ? null : (byId.get(event.actorId) ?? null);
        return {
          ...event,
          actor,
          isIpShown: isStaff || !isOfAgency(actor),
          subjectName: names.get(subjectKey(event)) ?? null,
          teamName: names.get(teamKey(event.teamId) ?? '') ?? null,
        };
      });
      const last = shown.at(-1);
      cursor = last && found.length > ROWS_PER_BATCH ? [last.at, last.id] : null;
    } while (cursor);
  }

  router.get(`/panel/exports/${NAME}`, async (request: Request, response) => {
    const viewer = await requireViewer(request, session);
    const { teamId, actorId, action, from, until } = readQuery(filterSchema, request.query);
    const filter: AuditFilter = {
      teamId: readAuditTeam(viewer, teamId),
      actorId: actorId ?? null,
      action: action ?? null,
      from: from ?? null,
      until: until ?? null,
    };
    downloads.begin(response, viewer.userId, filter.teamId === null ? null : [filter.teamId]);
    const batches = await withFirstBatch(events(filter, viewer.staff));
    await recordAudit(
      db.orm,
      { userId: viewer.userId, channel: 'panel', ip: clientIp(request) },
      { teamId: filter.teamId, action: 'export.downloaded', subject: ['export', NAME] },
    );
    await downloads.send(response, {
      name: NAME,
      type: 'text/csv; charset=utf-8',
      day: clock(),
      texts: csvLines(COLUMNS, batches, record),
      async reauthorize() {
        const now = await requireViewer(request, session);
        readAuditTeam(now, teamId);
        if (viewer.staff && !now.staff) throw roleNotAllowed();
      },
    });
  });

  return router;
}
