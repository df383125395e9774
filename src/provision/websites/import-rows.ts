import { setImmediate as nextTurn } from 'node:timers/promises';
import { readWith } from '../../lib/faults.js';
import { csvRows } from '../../lib/text/csv-rows.js';
import { type createWebsite, REQUIRED_SETTINGS } from '../../websites/editing/save-website.js';
import { newWebsite } from '../../websites/website.schema.js';

/** The columns of an import, and the setting of a website that each is. */
export const COLUMNS = {
  name: 'name',
  host: 'host',
  url: 'url',
  locale: 'locale',
  email: 'email',
  time_zone: 'timeZone',
  company: 'company',
  address: 'address',
  zipcode: 'zipcode',
  city: 'city',
  country: 'country',
  phone: 'phone',
  logo: 'logo',
  departments: 'departments',
} as const;

type Column = keyof typeof COLUMNS;

/** The most websites of one import. */
const MAX_ROWS = 500;

/** The most headings that are looked at: with more there are always some that are no column. */
const MAX_HEADINGS = 100;

/** Rows that are parsed, and rows that are checked, in one turn of the event loop: some milliseconds each. */
const PARSED_IN_TURN = 1_000;
const CHECKED_IN_TURN = 20;

/** Why a cell cannot be imported. */
export type ImportReason =
  | 'unreadable'
  | 'too_many'
  | 'unknown_column'
  | 'missing'
  | 'invalid'
  | 'repeated'
  | 'taken';

/** What is wrong with a cell; `row` is counted as spreadsheets do, the headings are row 1. */
export type ImportFault = Readonly<{
  row: number;
  /** Null: the row as a whole. */
  column: string | null;
  reason: ImportReason;
  message: string;
}>;

/** The settings of a website without a cell of their own. */
const DEFAULTS = {
  timeZone: 'UTC',
  company: '',
  address: '',
  zipcode: '',
  city: '',
  country: '',
  phone: '',
  logo: '',
  departments: [] as string[],
};

type NewWebsite = Parameters<typeof createWebsite>[2];

/** A website as it would be created, a setting for each column. */
export type ImportedSettings = Required<Pick<NewWebsite, (typeof COLUMNS)[Column]>>;

/** A row as it was read; `settings` is null when it has faults. */
export type ImportRow = Readonly<{
  row: number;
  name: string;
  host: string;
  settings: ImportedSettings | null;
}>;

export type ReadImport = Readonly<{
  /** The columns in the order of the file; none where the headings are at fault. */
  columns: readonly string[];
  rows: readonly ImportRow[];
  faults: readonly ImportFault[];
}>;

const columnOf = (setting: PropertyKey | undefined): string =>
  Object.entries(COLUMNS).find(([, name]) => name === setting)?.[0] ?? String(setting);

const isColumn = (heading: string): heading is Column => Object.hasOwn(COLUMNS, heading);

/** Reads headings as columns, in any case and with spaces for the underscore. */
function readHeadings(headings: readonly string[]): { columns: string[]; faults: ImportFault[] } {
  const columns = headings.slice(0, MAX_HEADINGS).map((heading) =>
    heading
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_'),
  );
  const fault = (column: string, reason: ImportReason, message: string) => ({
    row: 1,
    column,
    reason,
    message,
  });
  return {
    columns,
    faults: [
      ...columns.flatMap((column, index) => {
        if (!isColumn(column)) return [fault(column, 'unknown_column', 'is no column of an import')];
        return columns.indexOf(column) < index ? [fault(column, 'repeated', 'is there twice')] : [];
      }),
      ...REQUIRED_SETTINGS.filter((column) => !columns.includes(column)).map((column) =>
        fault(column, 'missing', 'is required'),
      ),
    ],
  };
}

/** Names the cells of a row by the settings that they are; an empty cell takes the setting's default. */
const settingsOf = (columns: readonly string[], cells: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    columns.flatMap((column, index) => {
      const text = cells[index]?.trim();
      if (!isColumn(column) || !text) return [];
      return [[COLUMNS[column], column === 'departments' ? text.split(/[\s,;|]+/).filter(Boolean) : text]];
    }),
  );

type Line = Readonly<{ row: number; cells: readonly string[] }>;

type Parsed = Readonly<{ headings: readonly string[]; lines: readonly Line[] }>;

/**
 * Parses CSV into its headings and those of its other rows that are not empty.
 *
 * @returns the row with a quote that is not closed, where there is one; null when there are no rows.
 */
async function parseLines(csv: string): Promise<Parsed | Readonly<{ brokenRow: number }> | null> {
  let headings: readonly string[] | null = null;
  const lines: Line[] = [];
  let row = 0;
  for (const cells of csvRows(csv)) {
    row += 1;
    if (cells === null) return { brokenRow: row };
    if (!headings) headings = cells;
    else if (cells.some((cell) => cell.trim() !== '')) lines.push({ row, cells });
    if (row % PARSED_IN_TURN === 0) await nextTurn();
  }
  return headings && { headings, lines };
}

/**
 * Reads new websites from CSV, whose first row has the headings. Separators are commas, semicolons or tabs.
 *
 * It yields to other requests meanwhile.
 *
 * @returns every row, and every fault that can be told without the database.
 */
export async function readImport(csv: string, locales: readonly string[]): Promise<ReadImport> {
  const whole = (reason: ImportReason, message: string, row = 1): ReadImport => ({
    columns: [],
    rows: [],
    faults: [{ row, column: null, reason, message }],
  });
  const parsed = await parseLines(csv);
  if (!parsed) return whole('unreadable', 'must be CSV with headings');
  if ('brokenRow' in parsed) return whole('unreadable', 'has a quote that is not closed', parsed.brokenRow);
  const { columns, faults: headingFaults } = readHeadings(parsed.headings);
  if (headingFaults.length > 0) return { columns: [], rows: [], faults: headingFaults };
  const { lines } = parsed;
  if (lines.length > MAX_ROWS) return whole('too_many', `must be at most ${MAX_ROWS} websites`);
  const schema = newWebsite(locales);
  const faults: ImportFault[] = [];
  const rowOfHost = new Map<string, number>();
  const readLine = ({ cells, row }: Line): ImportRow => {
    const written = settingsOf(columns, cells);
    const before = faults.length;
    const fault = (column: string | null, reason: ImportReason, message: string) => {
      // A cell may list hundreds of departments with the same fault.
      const isTold = faults.slice(before).some((told) => told.column === column && told.message === message);
      if (!isTold) faults.push({ row, column, reason, message });
    };
    if (cells.slice(columns.length).some((cell) => cell.trim() !== '')) {
      fault(null, 'unreadable', 'has more cells than there are headings');
    }
    const read = readWith(schema, written);
    if ('faults' in read) {
      for (const { path, message } of read.faults) {
        fault(columnOf(path[0]), written[String(path[0])] === undefined ? 'missing' : 'invalid', message);
      }
    } else {
      const first = rowOfHost.get(read.data.host);
      if (first) fault('host', 'repeated', `is the same as in row ${first}`);
      else rowOfHost.set(read.data.host, row);
    }
    const isRight = 'data' in read && faults.length === before;
    return {
      row,
      name: String(written.name ?? ''),
      host: String(written.host ?? ''),
      settings: isRight ? { ...DEFAULTS, ...read.data } : null,
    };
  };
  const rows: ImportRow[] = [];
  for (const line of lines) {
    rows.push(readLine(line));
    if (rows.length % CHECKED_IN_TURN === 0) await nextTurn();
  }
  return { columns, rows, faults };
}
