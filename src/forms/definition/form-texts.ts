/*
 * Which texts of a form are translated. Server and panel share this module.
 */
import { isLongerThan } from '../../lib/text/characters.js';
import { isHttpUrl, MAX_URL_LENGTH } from '../../lib/text/http-url.js';
import { isStorable } from '../../lib/text/storable-text.js';

/** The most characters of a text on one line, and of one on several. */
export const MAX_LENGTHS = { title: 500, paragraph: 5000 };

/** Whether a text shows nothing. */
export const isBlank = (text: string): boolean => text.trim() === '';

/** What each text of the form itself is, in the order in which they are listed. */
const FORM_TEXTS = {
  submitButtonText: 'title',
  confirmationMessage: 'paragraph',
  privacyNoticeText: 'paragraph',
  privacyNoticeUrl: 'address',
} as const;

/** What each text of a field is. An option has a `label` as well. */
const FIELD_TEXTS = {
  label: 'title',
  placeholder: 'title',
  helpText: 'paragraph',
  linkUrl: 'address',
} as const;

const KINDS = { ...FORM_TEXTS, ...FIELD_TEXTS };

/** `title`: on one line; `paragraph`: on several; `address`: http or https. */
type TextKind = 'title' | 'paragraph' | 'address';

export type FormTextName = keyof typeof FORM_TEXTS;
export type FieldTextName = keyof typeof FIELD_TEXTS;
export type TextName = FormTextName | FieldTextName;

export const FORM_TEXT_NAMES = Object.keys(FORM_TEXTS) as readonly FormTextName[];
export const FIELD_TEXT_NAMES = Object.keys(FIELD_TEXTS) as readonly FieldTextName[];

export const kindOf = (text: TextName): TextKind => KINDS[text];

/** The most characters that a text may have. */
export function maxLengthOf(text: TextName): number {
  const kind = kindOf(text);
  return kind === 'address' ? MAX_URL_LENGTH : MAX_LENGTHS[kind];
}

type Texts<Name extends string> = Readonly<Partial<Record<Name, string | null>>>;

/** A field as far as its texts go. */
type TextField = Texts<FieldTextName> &
  Readonly<{ options: readonly Readonly<{ value: string; label: string }>[] }>;

/** Where a text stands in a form: positions of its field and option, null where it belongs to what contains them. */
export type TextPlace = OwnPlace | FieldPlace;

export type OwnPlace = Readonly<{ field: null; option: null; text: FormTextName }>;
export type FieldPlace = Readonly<
  { field: number; option: null; text: FieldTextName } | { field: number; option: number; text: 'label' }
>;

/** A text with its place, in the source language; empty where there is none to translate. */
export type SourceText<Place = TextPlace> = Readonly<{ place: Place; source: string }>;

/** Lists the texts of the form itself. */
export const formTexts = (form: Texts<FormTextName>): SourceText<OwnPlace>[] =>
  FORM_TEXT_NAMES.map((text) => ({ place: { field: null, option: null, text }, source: form[text] ?? '' }));

/** Lists the texts of the field at a position, then those of its options. */
export const fieldTexts = (field: TextField, position: number): SourceText<FieldPlace>[] => [
  ...FIELD_TEXT_NAMES.map((text) => ({
    place: { field: position, option: null, text },
    source: field[text] ?? '',
  })),
  ...field.options.map(({ label }, option) => ({
    place: { field: position, option, text: 'label' as const },
    source: label,
  })),
];

/** What is wrong with a translated text. */
export type TextFault = 'too_long' | 'no_address' | 'not_storable';

/** Checks a text in whatever language; null or empty counts as not translated and is always right. */
export function textFault(name: TextName, text: string | null | undefined): TextFault | null {
  if (!text) return null;
  if (isLongerThan(text, maxLengthOf(name))) return 'too_long';
  if (!isStorable(text)) return 'not_storable';
  return kindOf(name) === 'address' && !isHttpUrl(text) ? 'no_address' : null;
}
