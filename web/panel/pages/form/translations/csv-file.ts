import { isBlank, type TextFault, textFault } from '../../../../../src/forms/definition/form-texts.js';
import { readCsv, writeCsv } from '../../../../../src/lib/text/csv-rows.js';
import { defuseFormulas, restoreFormulas } from '../../../../../src/lib/text/formulas.js';
import {
  type DraftText,
  type TranslatedForm,
  targetLocales,
  textsOf,
  translationOf,
  withLanguage,
  withTranslation,
} from './draft-texts.js';

/** Heading of the column that names the texts. */
const KEY = 'key';

/** Writes every text of a draft with its translations: a row for each text, a column for each language. */
export function exportTranslations(draft: TranslatedForm): string {
  const locales = targetLocales(draft);
  const rows = textsOf(draft).flatMap(({ key, place, source }) => {
    const translations = locales.map((locale) => translationOf(draft, place, locale));
    return source || translations.some(Boolean) ? [[key, source, ...translations]] : [];
  });
  return writeCsv([[KEY, draft.sourceLocale, ...locales], ...rows].map((row) => row.map(defuseFormulas)));
}

/** A text that a file would change. */
export type ImportedText = Readonly<{
  /** Row of the file, as spreadsheets count them. */
  row: number;
  text: DraftText;
  locale: string;
  before: string;
  after: string;
}>;

/** What is wrong with the file as a whole, with a column, or with a row. */
type ImportFaultKind =
  | 'not_utf8'
  | 'cut_off'
  | 'no_keys'
  | 'column_unknown'
  | 'column_repeated'
  | 'key_unknown'
  | 'key_repeated'
  | 'source_differs';

/** A fault, with the row it is in and the heading or key it is about. What is at fault is not imported. */
export type ImportFault = Readonly<{
  /** Null: it is about the whole file. */
  row: number | null;
  kind: ImportFaultKind;
  about: string;
}>;

/** A translation that the gateway would refuse; the rest of its row is right. */
type TranslationFault = Readonly<{ row: number; text: DraftText; locale: string; kind: TextFault }>;

export type TranslationsImport = Readonly<{
  changes: readonly ImportedText[];
  faults: readonly (ImportFault | TranslationFault)[];
}>;

/** The finding about a file of which nothing can be read. */
export const failedImport = (kind: ImportFaultKind, row: number | null = null): TranslationsImport => ({
  changes: [],
  faults: [{ row, kind, about: '' }],
});

/** Editors change the line ends of a whole file, within its texts too. */
const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n');

/** Line breaks and white space at the ends are what spreadsheets change. */
const trimmed = (text: string): string => withLineFeeds(text).trim();

/** Finds the language of each column; null for one without translations. */
function readColumns(headings: readonly string[], draft: TranslatedForm, locales: readonly string[]) {
  const faults: ImportFault[] = [];
  const columns = headings.map((heading) => heading.trim().toLowerCase());
  const targets = columns.map((column, index) => {
    if (index === 0 || column === draft.sourceLocale || column === '') return null;
    const isFirst = columns.indexOf(column) === index;
    if (isFirst && locales.includes(column)) return column;
    const kind = isFirst ? 'column_unknown' : 'column_repeated';
    faults.push({ row: 1, kind, about: headings[index]! });
    return null;
  });
  return { hasKeys: columns[0] === KEY, source: columns.indexOf(draft.sourceLocale), targets, faults };
}

/**
 * Compares a file with a draft. A blank cell leaves the draft as it is, and so does a row whose source text is no
 * longer that of the draft: its translations are of another text.
 *
 * @param locales the languages of the platform, which a column may be in
 */
export function readTranslations(
  file: string,
  draft: TranslatedForm,
  locales: readonly string[],
): TranslationsImport {
  const read = readCsv(file);
  if (!read) return failedImport('cut_off');
  const [headings = [], ...rows] = read.map((cells) => cells.map(restoreFormulas));
  const columns = readColumns(headings, draft, locales);
  if (!columns.hasKeys) return failedImport('no_keys', 1);
  const faults: (ImportFault | TranslationFault)[] = [...columns.faults];
  const changes: ImportedText[] = [];
  const texts = new Map(textsOf(draft).map((text) => [text.key, text]));
  const seen = new Set<string>();
  for (const [index, cells] of rows.entries()) {
    if (cells.every((cell) => cell === '')) continue;
    const row = index + 2;
    const [key = ''] = cells;
    const text = texts.get(key);
    if (!text || seen.has(key)) {
      faults.push({ row, kind: text ? 'key_repeated' : 'key_unknown', about: key });
      continue;
    }
    seen.add(key);
    const changed = columns.targets.flatMap((locale, column) => {
      const after = cells[column];
      if (locale === null || !after || isBlank(after)) return [];
      const before = translationOf(draft, text.place, locale);
      return withLineFeeds(after) === withLineFeeds(before) ? [] : [{ row, text, locale, before, after }];
    });
    const source = columns.source < 0 ? text.source : (cells[columns.source] ?? '');
    if (changed.length > 0 && trimmed(source) !== trimmed(text.source)) {
      faults.push({ row, kind: 'source_differs', about: key });
      continue;
    }
    for (const change of changed) {
      const kind = textFault(text.place.text, change.after);
      if (kind) faults.push({ row, text, locale: change.locale, kind });
      else changes.push(change);
    }
  }
  return { changes, faults };
}

/** Makes the changes in a draft, and adds the languages that it did not have. */
export const withImported = <Draft extends TranslatedForm>(
  draft: Draft,
  changes: readonly ImportedText[],
): Draft =>
  changes.reduce(
    (changed, { text, locale, after }) =>
      withTranslation(withLanguage(changed, locale), text.place, locale, after),
    draft,
  );
