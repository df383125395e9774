import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../db/client.js';
import type { Clock } from '../../lib/clock.js';
import { HOUR_MS } from '../../lib/durations.js';

/** A website as the directory shows it. */
export type DirectoryWebsite = Readonly<{
  id: string;
  name: string;
  host: string;
  url: string;
  email: string;
  company: string;
  address: string;
  zipcode: string;
  city: string;
  country: string;
  phone: string;
  logo: string;
  departments: readonly Readonly<{ code: string; name: string }>[];
  created_at: string;
  updated_at: string;
}>;

/** One version of one team's directory. */
type Edition = Readonly<{ teamId: number; directoryVersion: string }>;

type Filled = Readonly<{ filledAt: number; websites: readonly DirectoryWebsite[] }>;

type Entry = { version: string; expiresAt: number; filled: Promise<Filled> };

/** Format version of an entry in Redis; raise it when `DirectoryWebsite` changes, since releases run side by side. */
const FORMAT = 1;

/** Lifetime of a cached directory: an hour. */
const TTL_MS = HOUR_MS;

/** The alphabet of department codes; upper-casing other characters could yield a code that was not requested. */
const ASCII = /^[0-9A-Za-z]+$/;

/** Maximum number of directories that one process caches. */
const MAX_ENTRIES = 1_000;

/** The root collation of Unicode, which English does not change, so that the order is the same on every machine. */
const collator = new Intl.Collator('en');

const byName = (a: DirectoryWebsite, b: DirectoryWebsite): number =>
  collator.compare(a.name, b.name) || (a.id < b.id ? -1 : 1);

/** Formats a date as ISO 8601 in UTC, to the second. */
const timestamp = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, '+00:00');

export type Directory = ReturnType<typeof createDirectory>;

/**
 * Reads the websites of a team, cached for an hour in this process and, if configured, in Redis for all
 * processes. An entry belongs to one version of one team's directory. The caller reads the version together
 * with the token, so the next call of any process sees a change without a message between processes.
 */
export function createDirectory({ db, redis, clock }: { db: Db; redis: Redis | null; clock: Clock }) {
  /** The latest version of each team's directory. */
  const entries = new LRUCache<number, Entry>({ max: MAX_ENTRIES });

  const keyOf = ({ teamId, directoryVersion }: Edition) =>
    `directory:${FORMAT}:${teamId}:${directoryVersion}`;

  /** Reads another process's entry from Redis; null when there is none, or Redis is unavailable. */
  async function readShared(edition: Edition): Promise<Filled | null> {
    if (!redis) return null;
    try {
      const text = await redis.get(keyOf(edition));
      const filled = text === null ? null : (JSON.parse(text) as Filled);
      return filled && Array.isArray(filled.websites) ? filled : null;
    } catch {
      return null;
    }
  }

  async function fill(edition: Edition): Promise<Filled> {
    const shared = await readShared(edition);
    if (shared) return shared;
    const filled = { filledAt: clock().getTime(), websites: await readWebsites(db, edition.teamId) };
    redis?.set(keyOf(edition), JSON.stringify(filled), 'PX', TTL_MS).catch(() => undefined);
    return filled;
  }

  /** Loads an entry as a singleflight: concurrent calls share one load, and a failed load is not cached. */
  function startFill(edition: Edition): Entry {
    const { teamId, directoryVersion: version } = edition;
    const entry: Entry = { version, expiresAt: clock().getTime() + TTL_MS, filled: fill(edition) };
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

  async function list(edition: Edition): Promise<readonly DirectoryWebsite[]> {
    const known = entries.get(edition.teamId);
    const isCurrent =
      known && known.version === edition.directoryVersion && known.expiresAt > clock().getTime();
    const { filled } = isCurrent ? known : startFill(edition);
    return (await filled).websites;
  }

  return {
    /** Lists all websites of a team, sorted by name. */
    list,

    /**
     * Lists the websites of a team that serve a department, in any case of its code. An unknown
     * code takes the same path as one without websites, so the two cannot be told apart.
     */
    async listServing(edition: Edition, code: string): Promise<readonly DirectoryWebsite[]> {
      const wanted = ASCII.test(code) ? code.toUpperCase() : null;
      return (await list(edition)).filter(({ departments }) =>
        departments.some((department) => department.code === wanted),
      );
    },
  };
}

async function readWebsites(db: Db, teamId: number): Promise<DirectoryWebsite[]> {
  const rows = await db.orm.website.findMany({
    where: { teamId },
    include: { departments: { include: { department: true }, orderBy: { departmentCode: 'asc' } } },
  });
  return rows
    .map((row) => ({
      id: row.id,
      name: row.name,
      host: row.host,
      url: row.url,
      email: row.email,
      company: row.company,
      address: row.address,
      zipcode: row.zipcode,
      city: row.city,
      country: row.country,
      phone: row.phone,
      logo: row.logo,
      departments: row.departments.map(({ department: { code, name } }) => ({ code, name })),
      created_at: timestamp(row.createdAt),
      updated_at: timestamp(row.updatedAt),
    }))
    .sort(byName);
}
