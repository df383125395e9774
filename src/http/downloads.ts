import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { ApiError, invalid, tooManyRequests } from '../errors.js';
import { readWith } from '../lib/faults.js';
import { groupBy } from '../lib/group-by.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { type Cell, csvText } from '../lib/text/csv.js';
import { whenOver } from './server/response-over.js';

/** Characters after which a chunk is yielded. Smaller chunks would leave as much garbage as they hold. */
const CHUNK_LENGTH = 65_536;

/**
 * Joins the lines of rows to chunks of some 64 KB, and yields to the event loop between two chunks.
 *
 * A batch of rows may be 25 MB, and other requests must not wait for all of it. An empty batch is an empty chunk, after
 * which the download can be ended.
 */
export async function* chunksOf<T>(
  batches: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
  lineOf: (row: T) => string,
): AsyncGenerator<string> {
  for await (const rows of batches) {
    let text = '';
    for (const row of rows) {
      text += lineOf(row);
      if (text.length < CHUNK_LENGTH) continue;
      yield text;
      text = '';
      // With a fast reader, backpressure alone would never yield to the event loop.
      await nextTurn();
    }
    if (text || rows.length === 0) yield text;
  }
}

/**
 * Checks query parameters against their schema.
 *
 * @throws 422 that names every faulty parameter.
 */
export function readQuery<T extends z.ZodType>(schema: T, query: Request['query'] | object): z.output<T> {
  const read = readWith(schema, query);
  if ('data' in read) return read.data;
  const byName = groupBy(read.faults, ({ path }) => String(path[0] ?? 'query'));
  throw invalid(
    Object.fromEntries([...byName].map(([name, faults]) => [name, faults.map(({ message }) => message)])),
  );
}

/** Reads the first batch ahead of the response, so that an immediate failure is still answered as an error. */
export async function withFirstBatch<T>(batches: AsyncGenerator<T[]>): Promise<AsyncGenerator<T[]>> {
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

/** Yields rows as CSV, with a byte order mark, by which spreadsheets know UTF-8. */
export async function* csvLines<T>(
  header: readonly string[],
  batches: AsyncIterable<readonly T[]>,
  toRecord: (row: T) => Cell[],
): AsyncGenerator<string> {
  yield `\uFEFF${csvText([header])}`;
  yield* chunksOf(batches, (row) => csvText([toRecord(row)]));
}

/** A file to be sent. `day` is the present day, which its name gets. */
type File = Readonly<{
  name: string;
  type: string;
  day: Date;
  texts: AsyncGenerator<string>;
  /** Checks again what allowed the download. @throws ApiError when it holds no longer. */
  reauthorize(): Promise<void>;
}>;

/**
 * Downloads of one account, about one team, and of all, that are sent at once: each holds rows in memory for as long as
 * it is read. A team, which invites as many accounts as it wants, cannot have them all.
 */
const MAX_OF_ACCOUNT = 3;
const MAX_OF_TEAM = 8;
const MAX_IN_ALL = 24;

const RETRY_AFTER_S = 10;

/** How often a download checks what allowed it, at most. Its reader may take hours. */
const REAUTHORIZE_MS = 2_000;

async function* whileAllowed(texts: AsyncGenerator<string>, reauthorize: File['reauthorize']) {
  let checkedAt = performance.now();
  for await (const text of texts) {
    if (performance.now() - checkedAt > REAUTHORIZE_MS) {
      await reauthorize();
      checkedAt = performance.now();
    }
    yield text;
  }
}

export type Downloads = ReturnType<typeof createDownloads>;

/**
 * Creates the sender of downloads, which limits how many run at once for an account, for a team and in this process.
 */
export function createDownloads({ log }: { log: Logger }) {
  const logError = limitLog(log, 'error');
  const running = new Map<string, number>();

  const count = (keys: Iterable<string>, change: 1 | -1): void => {
    for (const key of keys) {
      const left = (running.get(key) ?? 0) + change;
      if (left > 0) running.set(key, left);
      else running.delete(key);
    }
  };

  return {
    /**
     * Counts a download of an account until its response is over.
     *
     * @param teamIds Those that it is about; null: all of them, as the agency alone may see them.
     * @throws 429 beyond the limits.
     */
    begin(response: Response, userId: number, teamIds: readonly number[] | null): void {
      const limits = new Map([
        ['all', MAX_IN_ALL],
        [`account ${userId}`, MAX_OF_ACCOUNT],
        ...(teamIds ?? []).map((id) => [`team ${id}`, MAX_OF_TEAM] as const),
      ]);
      for (const [key, limit] of limits)
        if ((running.get(key) ?? 0) >= limit) throw tooManyRequests(RETRY_AFTER_S);
      count(limits.keys(), 1);
      whenOver(response, () => count(limits.keys(), -1));
    },

    /** Sends a file as it is generated, at the pace of its reader, for as long as it is allowed. */
    async send(response: Response, { name, type, day, texts, reauthorize }: File): Promise<void> {
      const [base, extension] = name.split('.');
      response.set({
        'Content-Type': type,
        'Content-Disposition': `attachment; filename="${base}-${day.toISOString().slice(0, 10)}.${extension}"`,
        'Cache-Control': 'no-store',
      });
      try {
        await pipeline(whileAllowed(texts, reauthorize), response);
      } catch (error) {
        // The client must see a broken transfer rather than a file that looks complete.
        response.destroy();
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ERR_STREAM_PREMATURE_CLOSE' && !(error instanceof ApiError))
          logError(error, 'Export broken off');
      }
    },
  };
}
