import type { Actor } from '../../audit/audit.js';
import type { Db } from '../../db/client.js';
import { isUniqueViolation } from '../../db/database-errors.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import { UNKNOWN_TIME_ZONE } from '../../lib/input.schema.js';
import { unknownDepartments } from '../../websites/editing/departments.js';
import { createWebsite, hasRoomForWebsites, MAX_WEBSITES } from '../../websites/editing/save-website.js';
import { unknownTimeZones } from '../../websites/websites.queries.js';
import { type ImportFault, type ImportRow, type ReadImport, readImport } from './import-rows.js';

/** How long the transaction may take, in which each website takes a few statements. */
const TIMEOUT_MS = 60_000;

/** What an import has found, and how many websites it has created. */
export type WebsiteImport = ReadImport & Readonly<{ created: number }>;

type Services = { db: Db; cipher: Cipher; locales: readonly string[] };

export type WebsiteImports = ReturnType<typeof createWebsiteImports>;

/** Imports websites from CSV. */
export function createWebsiteImports({ db, cipher, locales }: Services) {
  /** Lists the hosts that a team has already, and the departments and time zones that there are not. */
  async function storedFaults(teamId: number, rows: readonly ImportRow[]): Promise<ImportFault[]> {
    const hosts = rows.flatMap(({ settings }) => (settings ? [settings.host] : []));
    const codes = rows.flatMap(({ settings }) => settings?.departments ?? []);
    const where = { teamId, host: { in: hosts } };
    const known = await db.orm.website.findMany({ where, select: { host: true } });
    const taken = new Set(known.map(({ host }) => host));
    const unknown = await unknownDepartments(db.orm, [...new Set(codes)]);
    const zones = new Set(rows.flatMap(({ settings }) => settings?.timeZone ?? []));
    const unknownZones = await unknownTimeZones(db.orm, [...zones]);
    return rows.flatMap(({ row, settings }): ImportFault[] => {
      const message = 'is the host of another website of the team';
      const missing = settings?.departments?.filter((code) => unknown.has(code)) ?? [];
      return [
        ...(settings && taken.has(settings.host)
          ? [{ row, column: 'host', reason: 'taken' as const, message }]
          : []),
        ...missing.map((code) => ({
          row,
          column: 'departments',
          reason: 'invalid' as const,
          message: `there is no department ${code}`,
        })),
        ...(settings && unknownZones.has(settings.timeZone!)
          ? [{ row, column: 'time_zone', reason: 'invalid' as const, message: UNKNOWN_TIME_ZONE }]
          : []),
      ];
    });
  }

  /** Reads an import and finds all its faults, ordered by row and column. */
  async function check(teamId: number, csv: string): Promise<WebsiteImport> {
    const { columns, rows, faults } = await readImport(csv, locales);
    const count = await db.orm.website.count({ where: { teamId } });
    const message = `must leave the team with ${MAX_WEBSITES} websites at most`;
    const ofTeam: ImportFault[] =
      count + rows.length > MAX_WEBSITES ? [{ row: 1, column: null, reason: 'too_many', message }] : [];
    const all = [...ofTeam, ...faults, ...(await storedFaults(teamId, rows))];
    const placeOf = ({ column }: ImportFault) => (column === null ? -1 : columns.indexOf(column));
    all.sort((one, other) => one.row - other.row || placeOf(one) - placeOf(other));
    return { columns, rows, faults: all, created: 0 };
  }

  return {
    /** Reads an import as `run` does, and creates nothing. */
    check,

    /** Creates the websites of an import, all in one transaction; none while anything is at fault. */
    async run(teamId: number, csv: string, actor: Actor): Promise<WebsiteImport> {
      const checked = await check(teamId, csv);
      if (checked.faults.length > 0) return checked;
      try {
        const hasRoom = await db.orm.$transaction(
          async (tx) => {
            if (!(await hasRoomForWebsites(tx, teamId, checked.rows.length))) return false;
            for (const { settings } of checked.rows) {
              await createWebsite({ tx, cipher }, { teamId }, settings!, actor);
            }
            return true;
          },
          { timeout: TIMEOUT_MS },
        );
        // Other websites were created in the meantime: the check now tells that there are too many.
        if (!hasRoom) return check(teamId, csv);
      } catch (error) {
        // A host was taken in the meantime: the check now tells which.
        if (isUniqueViolation(error)) return check(teamId, csv);
        throw error;
      }
      return { ...checked, created: checked.rows.length };
    },
  };
}
