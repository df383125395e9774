import type { Actor } from '../../audit/audit.js';
import type { Db, Transaction } from '../../db/client.js';
import { isForeignKeyViolation, isUniqueViolation } from '../../db/database-errors.js';
import { listByName, type NamedFilter, type NamedPage } from '../../db/named-list.js';
import type { Page } from '../../db/paging.js';
import { retryTransaction } from '../../db/transaction-retry.js';
import { conflict } from '../../errors.js';
import type { Department, Website } from '../../generated/prisma/client.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import type { Fault } from '../../lib/faults.js';
import { groupsOf, inOrderOf } from '../../lib/group-by.js';
import { UNKNOWN_TIME_ZONE } from '../../lib/input.schema.js';
import { isHostOfPages, NO_HOST_OF_PAGES } from '../host.js';
import { unknownTimeZones } from '../websites.queries.js';
import { departmentFaults } from './departments.js';
import {
  createWebsite,
  deleteWebsite,
  hasRoomForWebsites,
  lockWebsite,
  MAX_WEBSITES,
  regenerateSignatureKey,
  type StoredWebsite,
  updateWebsite,
  type WebsiteSettings,
  websiteVersion,
} from './save-website.js';
import { conditionsOf, type WebsiteConditions } from './website-list.queries.js';

/** A website without its signature key. */
export type ManagedWebsite = Omit<Website, 'signatureKeyCipher'>;

type Required = Parameters<typeof createWebsite>[2];

/** Selects websites for a list; null matches any. */
type WebsiteFilter = Omit<NamedFilter, 'conditions'> & WebsiteConditions;

/** Outcome of saving a website: the website, or the faults of its settings. */
export type SavedWebsite = { website: ManagedWebsite } | { faults: Fault[] };

/** Timeout of deleting a website, which takes longer the more visits it has. */
const DELETE_TIMEOUT_MS = 60_000;

const omit = { signatureKeyCipher: true } as const;

export type ManagedWebsites = ReturnType<typeof createManagedWebsites>;

type Services = {
  db: Db;
  cipher: Cipher;
  /** Lists the ids of the websites of some teams, or of all, that need attention. */
  troubledWebsites(teamIds: readonly number[] | null): Promise<readonly string[]>;
};

/** Manages websites for the teams that run them. */
export function createManagedWebsites({ db, cipher, troubledWebsites }: Services) {
  /** Runs a change; an unknown department or time zone, or a duplicate host, becomes a fault of the settings. */
  async function save<T>(
    { departments = [], timeZone }: WebsiteSettings,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T | { faults: Fault[] }> {
    try {
      return await retryTransaction(() =>
        db.orm.$transaction(async (tx) => {
          const faults = [
            ...(await departmentFaults(tx, departments)),
            ...(await timeZoneFaults(tx, timeZone)),
          ];
          return faults.length > 0 ? { faults } : work(tx);
        }),
      );
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      return { faults: [{ path: ['host'], message: 'is the host of another website of the team' }] };
    }
  }

  async function find(id: string): Promise<ManagedWebsite | null> {
    return db.orm.website.findUnique({ where: { id }, omit });
  }

  /** Finds websites by their ids, in the same order. */
  async function findMany(ids: readonly string[]): Promise<(ManagedWebsite | null)[]> {
    const rows = await db.orm.website.findMany({ where: { id: { in: [...ids] } }, omit });
    return inOrderOf(ids, rows);
  }

  return {
    find,

    findMany,

    /** Lists a page of the websites that match a filter, sorted by name and then by id. */
    async list(filter: WebsiteFilter, page: Page): Promise<NamedPage<string, ManagedWebsite>> {
      const { teamIds, search, needsAttention } = filter;
      const troubled = needsAttention === null ? [] : await troubledWebsites(teamIds);
      const conditions = conditionsOf(filter, troubled);
      return listByName(db, 'websites', { teamIds, search, conditions }, page, findMany);
    },

    /** Lists the departments of websites, each list sorted by code. */
    async departmentsOf(websiteIds: readonly string[]): Promise<Department[][]> {
      const rows = await db.orm.websiteDepartment.findMany({
        where: { websiteId: { in: [...websiteIds] } },
        include: { department: true },
        orderBy: { departmentCode: 'asc' },
      });
      const served = groupsOf(websiteIds, rows, ({ websiteId }) => websiteId);
      return served.map((group) => group.map(({ department }) => department));
    },

    /** Lists all departments, sorted by code. */
    departments(): Promise<Department[]> {
      return db.orm.department.findMany({ orderBy: { code: 'asc' } });
    },

    /** Creates a website. @returns null when the team does not exist. @throws 409 beyond 5,000 websites of the team. */
    async create(teamId: number, settings: Required, actor: Actor): Promise<SavedWebsite | null> {
      try {
        return await save(settings, async (tx) => {
          if (!(await hasRoomForWebsites(tx, teamId, 1))) {
            throw conflict(`A team has ${MAX_WEBSITES} websites at most.`);
          }
          return { website: await createWebsite({ tx, cipher }, { teamId }, settings, actor) };
        });
      } catch (error) {
        if (isForeignKeyViolation(error)) return null;
        throw error;
      }
    },

    /**
     * Updates a website.
     *
     * @param version the version that the settings are a change of; null changes whatever is stored.
     * @returns null when it no longer exists.
     * @throws 409 when its settings have changed since.
     */
    async update(
      id: string,
      settings: WebsiteSettings,
      actor: Actor,
      version: string | null = null,
    ): Promise<SavedWebsite | null> {
      return save(settings, async (tx) => {
        const stored: StoredWebsite | null = await lockWebsite(tx, id);
        if (!stored) return null;
        if (version !== null && version !== versionOf(stored)) {
          throw conflict('The website has changed since it was read.');
        }
        const { host } = settings;
        // A website keeps a host that it had before such hosts were refused.
        if (host !== undefined && host !== stored.host && !isHostOfPages(host)) {
          return { faults: [{ path: ['host'], message: NO_HOST_OF_PAGES }] };
        }
        await updateWebsite(tx, stored, settings, actor);
        return { website: await tx.website.findUniqueOrThrow({ where: { id }, omit }) };
      });
    },

    /** Deletes a website, unless it has submissions. */
    async remove(id: string, actor: Actor): Promise<'deleted' | 'not_found' | 'has_submissions'> {
      // Check first, to avoid deleting visits in vain; the database's constraint decides in the end.
      const leads = { websiteId: id, testRecipient: null };
      if (await db.orm.submission.findFirst({ where: leads, select: { id: true } })) {
        return 'has_submissions';
      }
      try {
        return await db.orm.$transaction(
          async (tx) => {
            const stored = await lockWebsite(tx, id);
            if (!stored) return 'not_found';
            await deleteWebsite(tx, stored, actor);
            return 'deleted';
          },
          { timeout: DELETE_TIMEOUT_MS },
        );
      } catch (error) {
        if (isForeignKeyViolation(error)) return 'has_submissions';
        throw error;
      }
    },

    /** Replaces the signature key of a website, which invalidates every signature made with the former key. */
    async regenerateKey(website: Pick<Website, 'id' | 'teamId'>, actor: Actor): Promise<void> {
      await db.orm.$transaction((tx) => regenerateSignatureKey({ tx, cipher }, website, actor));
    },
  };
}

const versionOf = (stored: StoredWebsite): string =>
  websiteVersion(
    stored,
    stored.departments.map(({ departmentCode }) => departmentCode),
  );

/** Lists the faults of a time zone: one that PostgreSQL lacks would fail every count by day, of all teams. */
async function timeZoneFaults(tx: Transaction, timeZone: string | undefined): Promise<Fault[]> {
  const unknown = await unknownTimeZones(tx, timeZone === undefined ? [] : [timeZone]);
  return unknown.size > 0 ? [{ path: ['timeZone'], message: UNKNOWN_TIME_ZONE }] : [];
}
