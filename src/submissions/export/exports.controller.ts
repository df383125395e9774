import { pipeline } from 'node:stream/promises';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import type { Policy } from '../../auth/policy.js';
import { readViewer } from '../../auth/session-cookie.js';
import type { Sessions } from '../../auth/sessions.service.js';
import type { Viewer } from '../../auth/viewer.js';
import type { Config } from '../../config.js';
import { invalid, unauthenticated } from '../../errors.js';
import { clientIp } from '../../http/limits/client-ip.js';
import type { Clock } from '../../lib/clock.js';
import { readWith } from '../../lib/faults.js';
import { limitLog } from '../../lib/telemetry/limited-log.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import { type InboxFilter, inboxFilterSchema } from '../inbox/inbox-filter.schema.js';
import { emailAddress } from '../person/person.schema.js';
import type { Persons } from '../person/person.service.js';
import { type Cell, csvText } from './csv.js';
import type { Download, ExportedSubmission, Exports } from './export.service.js';
import { completeJsonRecord, csvHeader, csvRecord, jsonRecord } from './export-formats.js';
import { textsOf } from './export-texts.js';

type Services = Readonly<{
  config: Pick<Config, 'publicUrl'>;
  sessions: Pick<Sessions, 'viewerOf'>;
  policy: Pick<Policy, 'scope' | 'requireTeam'>;
  exports: Exports;
  persons: Persons;
  clock: Clock;
  log: Logger;
}>;

const list = (value: unknown): unknown => (typeof value === 'string' ? value.split(',') : value);

const flag = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);

/**
 * Checks query parameters against their schema.
 *
 * @throws 422 that names every faulty parameter.
 */
function readQuery<T extends z.ZodType>(schema: T, query: unknown): z.output<T> {
  const read = readWith(schema, query);
  if ('data' in read) return read.data;
  const errors: Record<string, string[]> = {};
  for (const { path, message } of read.faults) {
    const name = String(path[0] ?? 'query');
    errors[name] = [...(errors[name] ?? []), message];
  }
  throw invalid(errors);
}

/** Reads the inbox filter from query parameters, in which commas separate the items of a list. */
function readFilter({ query }: Request): InboxFilter {
  const {
    teamId,
    websiteIds,
    formIds,
    states,
    locale,
    from,
    to,
    text,
    email,
    needsReview,
    notificationStates,
  } = query;
  return readQuery(inboxFilterSchema, {
    ...{ teamId, locale, from, to, text, email },
    ...{ websiteIds: list(websiteIds), formIds: list(formIds) },
    ...{ states: list(states), notificationStates: list(notificationStates) },
    needsReview: needsReview === undefined ? undefined : flag(needsReview),
  });
}

/** Validates an e-mail address and the team whose submissions are searched for it. */
const personSchema = z.object({
  teamId: z.coerce
    .number({ error: 'must be an id' })
    .int()
    .min(1)
    .max(2 ** 31 - 1),
  email: emailAddress,
});

/** Reads the first batch ahead of the response, so that an immediate failure is still answered as an error. */
async function begun<T>(batches: AsyncGenerator<T[]>): Promise<AsyncGenerator<T[]>> {
  const first = await batches.next();
  return (async function* () {
    try {
      if (first.done) return;
      yield first.value;
      yield* batches;
    } finally {
      await batches.return(undefined);
    }
  })();
}

const jsonLines = <T>(batches: AsyncIterable<readonly T[]>, toRecord: (row: T) => object) =>
  textsOf(batches, (row) => `${JSON.stringify(toRecord(row))}\n`);

async function* csvLines(
  header: readonly string[],
  batches: AsyncIterable<readonly ExportedSubmission[]>,
  toRecord: (row: ExportedSubmission) => Cell[],
) {
  yield `\uFEFF${csvText([header])}`;
  yield* textsOf(batches, (row) => csvText([toRecord(row)]));
}

/**
 * Serves the downloads of the panel: the inbox as CSV and NDJSON, and everything about one e-mail address.
 *
 * The inbox filter is passed as query parameters. The client's reading speed sets the pace (backpressure), and a
 * closed connection ends the export.
 */
export function exportsController(services: Services): Router {
  const { config, sessions, policy, exports, persons, clock, log } = services;
  const fail = limitLog(log, 'error');
  const router = Router();

  async function requireViewer(request: Request): Promise<Viewer> {
    const viewer = await readViewer(request, { publicUrl: config.publicUrl, sessions });
    if (!viewer) throw unauthenticated();
    return viewer;
  }

  /** Records the download in the audit trail, before any data leaves. */
  function record(request: Request, { userId }: Viewer, download: Download): Promise<void> {
    return exports.record({ userId, channel: 'panel', ip: clientIp(request) }, download);
  }

  async function download(
    response: Response,
    { name, type, texts }: { name: string; type: string; texts: AsyncGenerator<string> },
  ): Promise<void> {
    const day = clock().toISOString().slice(0, 10);
    const [base, extension] = name.split('.');
    response.set({
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${base}-${day}.${extension}"`,
      'Cache-Control': 'no-store',
    });
    try {
      await pipeline(texts, response);
    } catch (error) {
      // The client must see a broken transfer rather than a file that looks complete.
      response.destroy();
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ERR_STREAM_PREMATURE_CLOSE') fail(error, 'Export broken off');
    }
  }

  router.get('/panel/exports/submissions.csv', async (request, response) => {
    const viewer = await requireViewer(request);
    const filter = readFilter(request);
    const scope = await policy.scope(viewer, filter);
    const names = await exports.fieldNames(scope);
    const batches = await begun(exports.submissions(scope, filter));
    await record(request, viewer, { name: 'submissions.csv', teamIds: scope.teamIds, filter });
    await download(response, {
      ...{ name: 'submissions.csv', type: 'text/csv; charset=utf-8' },
      texts: csvLines(csvHeader(names), batches, (row) => csvRecord(row, names)),
    });
  });

  router.get('/panel/exports/submissions.ndjson', async (request, response) => {
    const viewer = await requireViewer(request);
    const filter = readFilter(request);
    const scope = await policy.scope(viewer, filter);
    const batches = await begun(exports.submissions(scope, filter));
    await record(request, viewer, { name: 'submissions.ndjson', teamIds: scope.teamIds, filter });
    await download(response, {
      ...{ name: 'submissions.ndjson', type: 'application/x-ndjson' },
      texts: jsonLines(batches, jsonRecord),
    });
  });

  router.get('/panel/exports/address.ndjson', async (request, response) => {
    const viewer = await requireViewer(request);
    const { teamId, email } = readQuery(personSchema, request.query);
    await policy.requireTeam(viewer, teamId, 'read');
    const batches = await begun(persons.submissionsOf(teamId, email));
    await record(request, viewer, { name: 'address.ndjson', teamIds: [teamId], filter: {} });
    await download(response, {
      ...{ name: 'address.ndjson', type: 'application/x-ndjson' },
      texts: jsonLines(batches, completeJsonRecord),
    });
  });

  return router;
}
