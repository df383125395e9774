import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../db/client.js';
import type { JsonEntry } from '../../http/send-json.js';
import type { Clock } from '../../lib/clock.js';
import { HOUR_MS } from '../../lib/durations.js';
import { type DirectoryRow, NO_WEBSITE, readDepartments, readDirectoryRows } from './directory.queries.js';

/** A website as the directory shows it. */
export type DirectoryWebsite = Omit<DirectoryRow, 'codes' | 'createdAt' | 'updatedAt'> &
  Readonly<{
    departments: readonly Readonly<{ code: string; name: string }>[];
    created_at: string;
    updated_at: string;
  }>;

/** A website as a process keeps it: written as JSON, with what it is sorted and selected by. */
type DirectoryEntry = JsonEntry & Readonly<{ id: string; name: string; codes: readonly string[] }>;

/** One version of one team's directory. */
type Edition = Readonly<{ teamId: number; directoryVersion: string }>;

type Filled = Readonly<{ filledAt: number; websites: readonly DirectoryEntry[] }>;

type Entry = {
  version: string;
  expiresAt: number;
  filled: Promise<Filled>;
  /** Whether its load waits for the one before. Calls join it until it begins, since it reads what is newer still. */
  isWaiting: boolean;
  /** Whether calls with different versions wait for it, of which Redis may hold the older. */
  isOfSeveral: boolean;
  /** When this process last stored a directory of the team in Redis. */
  sharedAt: number;
};

/** Format version of an entry in Redis; raise it when `DirectoryWebsite` changes, since releases run side by side. */
const FORMAT = 2;

/** Lifetime of a cached directory: an hour. */
const TTL_MS = HOUR_MS;

/** Maximum bytes of a directory in Redis: hundreds of websites. Larger ones are loaded by each process. */
const MAX_SHARED = 262_144;

/** Minimum interval between two directories of a team that a process stores in Redis, however often it changes. */
const SHARING_INTERVAL_MS = 5_000;

/**
 * Websites that one statement reads and one turn of the event loop writes as JSON: 450 KB when all have 100
 * departments.
 */
const PORTION = 100;

/** The alphabet of department codes; upper-casing other characters could yield a code that was not requested. */
const ASCII = /^[0-9A-Za-z]+$/;

/** Maximum number of directories that one process caches. */
const MAX_ENTRIES = 1_000;

/** The root collation of Unicode, which English does not change, so that the order is the same on every machine. */
const collator = new Intl.Collator('en');

const byName = (a: DirectoryEntry, b: DirectoryEntry): number =>
  collator.compare(a.name, b.name) || (a.id < b.id ? -1 : 1);

/** Formats a date as ISO 8601 in UTC, to the second. */
const timestamp = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, '+00:00');

function entryOf(website: DirectoryWebsite): DirectoryEntry {
  const json = JSON.stringify(website);
  const codes = website.departments.map(({ code }) => code);
  return { id: website.id, name: website.name, codes, json, bytes: Buffer.byteLength(json) };
}

/** Writes a directory for Redis; null when it is too large. */
function sharedText(version: string, { filledAt, websites }: Filled): string | null {
  const bytes = websites.reduce((sum, website) => sum + website.bytes, 0);
  if (bytes > MAX_SHARED) return null;
  const list = websites.map(({ json }) => json).join(',');
  return `{"version":${JSON.stringify(version)},"filledAt":${filledAt},"websites":[${list}]}`;
}

export type Directory = ReturnType<typeof createDirectory>;

/**
 * Reads the websites of a team, cached for an hour in this process and, if configured, in Redis for all
 * processes. An entry belongs to one version of one team's directory. The caller reads the version together
 * with the token, so the next call of any process sees a change without a message between processes.
 *
 * A team has one entry in Redis, with its version inside, and one load at a time in a process, however often it
 * changes.
 */
export function createDirectory({ db, redis, clock }: { db: Db; redis: Redis | null; clock: Clock }) {
  /** The latest version of each team's directory. */
  const entries = new LRUCache<number, Entry>({ max: MAX_ENTRIES });

  const keyOf = (teamId: number) => `directory:${FORMAT}:${teamId}`;

  /** Reads another process's entry from Redis; null when it is of another version, or Redis is unavailable. */
  async function readShared(teamId: number, version: string): Promise<Filled | null> {
    if (!redis) return null;
    try {
      const text = await redis.get(keyOf(teamId));
      if (text === null) return null;
      const shared: { version: string; filledAt: number; websites: DirectoryWebsite[] } = JSON.parse(text);
      if (shared.version !== version) return null;
      return { filledAt: shared.filledAt, websites: shared.websites.map(entryOf) };
    } catch {
      return null;
    }
  }

  /** Stores a directory in Redis for other processes, in place of the one before. */
  function share(teamId: number, entry: Entry, filled: Filled): void {
    if (!redis || clock().getTime() - entry.sharedAt < SHARING_INTERVAL_MS) return;
    const text = sharedText(entry.version, filled);
    if (text === null) return;
    entry.sharedAt = clock().getTime();
    redis.set(keyOf(teamId), text, 'PX', TTL_MS).catch(() => undefined);
  }

  async function fill(teamId: number, entry: Entry): Promise<Filled> {
    const shared = entry.isOfSeveral ? null : await readShared(teamId, entry.version);
    if (shared) return shared;
    const filled = { filledAt: clock().getTime(), websites: await readWebsites(db, teamId) };
    share(teamId, entry, filled);
    return filled;
  }

  /**
   * Loads an entry as a singleflight: concurrent calls share one load, and a failed load is not cached. It begins when
   * the team's load before has ended.
   */
  function startFill({ teamId, directoryVersion: version }: Edition, before: Entry | undefined): Entry {
    const entry: Entry = {
      version,
      expiresAt: clock().getTime() + TTL_MS,
      filled: (before?.filled ?? Promise.resolve())
        .catch(() => undefined)
        .then(() => {
          entry.isWaiting = false;
          entry.sharedAt = before?.sharedAt ?? entry.sharedAt;
          return fill(teamId, entry);
        }),
      isWaiting: true,
      isOfSeveral: false,
      sharedAt: Number.NEGATIVE_INFINITY,
    };
    entry.filled.then(
      ({ filledAt }) => {
        entry.expiresAt = filledAt + TTL_MS;
      },
      () => {
        if (entries.peek(teamId) === entry) entries.delete(teamId);
      },
    );
    entries.set(teamId, entry);
    return entry;
  }

  async function list(edition: Edition): Promise<readonly DirectoryEntry[]> {
    const known = entries.get(edition.teamId);
    if (known?.isWaiting && known.version !== edition.directoryVersion) {
      known.version = edition.directoryVersion;
      known.isOfSeveral = true;
    }
    const isCurrent =
      known && known.version === edition.directoryVersion && known.expiresAt > clock().getTime();
    const { filled } = isCurrent ? known : startFill(edition, known);
    return (await filled).websites;
  }

  return {
    /** Lists all websites of a team, sorted by name. */
    list,

    /**
     * Lists the websites of a team that serve a department, in any case of its code. An unknown
     * code takes the same path as one without websites, so the two cannot be told apart.
     */
    async listServing(edition: Edition, code: string): Promise<readonly DirectoryEntry[]> {
      const wanted = ASCII.test(code) ? code.toUpperCase() : null;
      return (await list(edition)).filter(({ codes }) => wanted !== null && codes.includes(wanted));
    },
  };
}

/** Reads the websites of a team in portions, between which other requests have their turn. */
async function readWebsites(db: Db, teamId: number): Promise<DirectoryEntry[]> {
  const departments = new Map((await readDepartments(db)).map((department) => [department.code, department]));
  let websites: DirectoryEntry[] = [];
  let after = NO_WEBSITE;
  for (;;) {
    const rows: DirectoryRow[] = await readDirectoryRows(db, { teamId, after, limit: PORTION });
    // Sort with each portion: the sort is adaptive, and thousands of names at once would take too long.
    websites = [...websites, ...rows.map((row) => entryOf(shown(row, departments)))].sort(byName);
    const last = rows.at(-1);
    if (!last || rows.length < PORTION) return websites;
    after = last.id;
    await nextTurn();
  }
}

type Departments = ReadonlyMap<string, Readonly<{ code: string; name: string }>>;

/** A department that was created since they were read is left out: the directory has another version by then. */
const shown = (
  { codes, createdAt, updatedAt, ...row }: DirectoryRow,
  departments: Departments,
): DirectoryWebsite => ({
  ...row,
  departments: codes.split(' ').flatMap((code) => departments.get(code) ?? []),
  created_at: timestamp(createdAt),
  updated_at: timestamp(updatedAt),
});
