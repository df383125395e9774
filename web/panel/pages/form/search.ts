import { NUMBER, oneOf, text } from '../../parts/search/search-params.js';

/** The parts of the form page. */
export const TABS = ['fields', 'texts', 'translations', 'websites', 'history'] as const;
export type Tab = (typeof TABS)[number];

/** The state of the form page in the address. */
export type FormSearch = {
  tab?: Tab;
  /** Name of the field that is edited. */
  field?: string;
  /** The language that is translated into. */
  language?: string;
  /** `1` while the preview is shown. */
  preview?: string;
  /** Language of the preview, and the website on which it shows the form, or `none`. */
  previewIn?: string;
  previewOn?: string;
  /** `1` while the preview is as narrow as a telephone, or on a dark page. */
  narrow?: string;
  dark?: string;
  /** The version that the history shows, and the one that it is compared with. */
  version?: number;
  since?: number;
};

/** Says in the address that the preview is of no website. */
export const NO_WEBSITE = 'none';

const flag = (value: unknown): string | undefined => (value === '1' ? '1' : undefined);

const versionOf = (value: unknown): number | undefined =>
  NUMBER.test(String(value)) ? Number(value) : undefined;

/** Reads the state of the form page from the address; what is not understood is left out. */
export const readFormSearch = (given: Record<string, unknown>): FormSearch => ({
  tab: oneOf(TABS, given.tab),
  field: text(given.field),
  language: text(given.language),
  preview: flag(given.preview),
  previewIn: text(given.previewIn),
  previewOn: text(given.previewOn),
  narrow: flag(given.narrow),
  dark: flag(given.dark),
  version: versionOf(given.version),
  since: versionOf(given.since),
});
