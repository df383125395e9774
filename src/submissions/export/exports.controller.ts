import { type Request, Router } from 'express';
import { z } from 'zod';
import type { Policy, Scope } from '../../auth/policy.js';
import { requireViewer } from '../../auth/session-cookie.js';
import type { Sessions } from '../../auth/sessions.service.js';
import type { Viewer } from '../../auth/viewer.js';
import type { Config } from '../../config.js';
import { roleNotAllowed } from '../../errors.js';
import type { SpamRule } from '../../generated/prisma/client.js';
import { chunksOf, csvLines, type Downloads, readQuery, withFirstBatch } from '../../http/downloads.js';
import { clientIp } from '../../http/limits/client-ip.js';
import type { Clock } from '../../lib/clock.js';
import { intId } from '../../lib/id.schemas.js';
import { type InboxFilter, inboxFilterSchema } from '../inbox/inbox-filter.schema.js';
import { emailAddress } from '../person/person.schema.js';
import type { CompleteSubmission, Persons } from '../person/person.service.js';
import type { Download, Exports } from './export.service.js';
import {
  completeJsonRecord,
  csvHeader,
  csvRecordOf,
  jsonRecord,
  spamRuleJsonRecord,
} from './export-formats.js';

type Services = Readonly<{
  config: Pick<Config, 'publicUrl'>;
  sessions: Pick<Sessions, 'viewerOf'>;
  policy: Pick<Policy, 'scope' | 'requireTeam'>;
  exports: Exports;
  persons: Persons;
  downloads: Downloads;
  clock: Clock;
}>;

const list = (value: unknown): unknown => (typeof value === 'string' ? value.split(',') : value);

const flag = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);

/**
 * Reads the inbox filter from query parameters, in which commas separate the items of a list. An unknown parameter is
 * refused, since the export would not be narrowed by it.
 */
function readFilter({ query }: Request): InboxFilter {
  const { websiteIds, formIds, states, needsReview, notificationStates } = query;
  return readQuery(inboxFilterSchema.strict(), {
    ...query,
    websiteIds: list(websiteIds),
    formIds: list(formIds),
    states: list(states),
    notificationStates: list(notificationStates),
    needsReview: needsReview === undefined ? undefined : flag(needsReview),
  });
}

/** Validates an e-mail address and the team whose submissions are searched for it. */
const personSchema = z.object({
  teamId: intId,
  email: emailAddress,
});

const jsonLine = (record: object): string => `${JSON.stringify(record)}\n`;

const jsonLines = <T>(batches: AsyncIterable<readonly T[]>, toRecord: (row: T) => object) =>
  chunksOf(batches, (row) => jsonLine(toRecord(row)));

/** Yields a person's submissions, and after them the rules about spam that name the person. */
async function* personLines(
  batches: AsyncIterable<readonly CompleteSubmission[]>,
  rules: readonly SpamRule[],
): AsyncGenerator<string> {
  yield* jsonLines(batches, completeJsonRecord);
  for (const rule of rules) yield jsonLine(spamRuleJsonRecord(rule));
}

/**
 * Serves the downloads of the panel: the inbox as CSV and NDJSON, and everything about one e-mail address.
 *
 * The inbox filter is passed as query parameters. The client's reading speed sets the pace (backpressure), and a
 * closed connection ends the export, as does the end of the session or of the right to what is exported.
 */
export function exportsController(services: Services): Router {
  const { config, sessions, policy, exports, persons, downloads, clock } = services;
  const session = { publicUrl: config.publicUrl, sessions };
  const router = Router();

  /** Requires that the viewer still sees all teams of a scope. */
  async function requireScope(request: Request, filter: InboxFilter, { teamIds }: Scope): Promise<void> {
    const now = (await policy.scope(await requireViewer(request, session), filter)).teamIds;
    if (now && (!teamIds || teamIds.some((id) => !now.includes(id)))) throw roleNotAllowed();
  }

  /** Records the download in the audit trail, before any data leaves. */
  function record(request: Request, { userId }: Viewer, download: Download): Promise<void> {
    return exports.record({ userId, channel: 'panel', ip: clientIp(request) }, download);
  }

  router.get('/panel/exports/submissions.csv', async (request, response) => {
    const viewer = await requireViewer(request, session);
    const filter = readFilter(request);
    const scope = await policy.scope(viewer, filter);
    downloads.begin(response, viewer.userId, scope.selectedTeamIds);
    const names = await exports.fieldNames(scope);
    const batches = await withFirstBatch(exports.submissions(scope, filter));
    await record(request, viewer, { name: 'submissions.csv', teamIds: scope.selectedTeamIds, filter });
    await downloads.send(response, {
      name: 'submissions.csv',
      type: 'text/csv; charset=utf-8',
      day: clock(),
      texts: csvLines(csvHeader(names), batches, csvRecordOf(names)),
      reauthorize: () => requireScope(request, filter, scope),
    });
  });

  router.get('/panel/exports/submissions.ndjson', async (request, response) => {
    const viewer = await requireViewer(request, session);
    const filter = readFilter(request);
    const scope = await policy.scope(viewer, filter);
    downloads.begin(response, viewer.userId, scope.selectedTeamIds);
    const batches = await withFirstBatch(exports.submissions(scope, filter));
    await record(request, viewer, { name: 'submissions.ndjson', teamIds: scope.selectedTeamIds, filter });
    await downloads.send(response, {
      name: 'submissions.ndjson',
      type: 'application/x-ndjson',
      day: clock(),
      texts: jsonLines(batches, jsonRecord),
      reauthorize: () => requireScope(request, filter, scope),
    });
  });

  router.get('/panel/exports/address.ndjson', async (request, response) => {
    const viewer = await requireViewer(request, session);
    const { teamId, email } = readQuery(personSchema, request.query);
    await policy.requireTeam(viewer, teamId, 'read');
    downloads.begin(response, viewer.userId, [teamId]);
    const batches = await withFirstBatch(persons.submissionsOf(teamId, email));
    const rules = await persons.spamRulesOf(teamId, email);
    await record(request, viewer, { name: 'address.ndjson', teamIds: [teamId], filter: {} });
    await downloads.send(response, {
      name: 'address.ndjson',
      type: 'application/x-ndjson',
      day: clock(),
      texts: personLines(batches, rules),
      async reauthorize() {
        await policy.requireTeam(await requireViewer(request, session), teamId, 'read');
      },
    });
  });

  return router;
}
