/** What decides the height of a form on a page. */
export type MeasuredForm = Readonly<{
  privacyNoticeText: string | null;
  privacyNoticeUrl: string | null;
  fields: readonly Readonly<{
    type: string;
    label: string;
    isRequired: boolean;
    isMultiple: boolean;
    showLabel: boolean;
    helpText: string | null;
    linkUrl: string | null;
    visibility: unknown;
    options: readonly Readonly<{ label: string }>[];
  }>[];
}>;

type MeasuredField = MeasuredForm['fields'][number];

/* The sizes of the script's style sheet (`web/script/style.css`), in rem. */
const LINE = 1.5;
const SMALL_TEXT = 0.875;
const CONTROL = 2.75;
const TEXTAREA = 8;
const CHOICE = 1.75;
const CHOICE_PADDING = 0.2;
/** The box of a choice, with the gap after it. */
const CHOICE_BOX = 1.85;
const ADD_BUTTON = 2.25;
const SELECT_LINES = 6;
const GAP_IN_FIELD = 0.35;
const GAP = 1.25;

/** Width of a character on average, in the size of the text. */
const CHARACTER = 0.5;

/** Characters of the link to a privacy policy, in the longest of the script's languages. */
const PRIVACY_LINK = 26;

const stacked = (heights: readonly number[], gap: number): number =>
  heights.reduce((sum, height) => sum + height, 0) + gap * Math.max(0, heights.length - 1);

/** Estimates the height of a text of so many characters. */
const textHeight = (characters: number, width: number, size = 1): number =>
  Math.max(1, Math.ceil((characters * CHARACTER * size) / width)) * LINE * size;

const choiceHeight = (label: string, width: number): number =>
  Math.max(CHOICE, textHeight(label.length, width - CHOICE_BOX) + CHOICE_PADDING);

/** A box to tick whose label stands beside it. */
const isSwitch = ({ type, options }: MeasuredField): boolean =>
  type === 'consent' || (type === 'checkbox' && options.length === 0);

function controlHeights(field: MeasuredField, width: number): number[] {
  const { type, label, isMultiple, showLabel, options } = field;
  if (isSwitch(field)) return [choiceHeight(showLabel ? `${label} *` : '', width)];
  if (type === 'checkbox' || type === 'radio') {
    return options.map((option) => choiceHeight(option.label, width));
  }
  if (type === 'select' && isMultiple) return [Math.min(options.length, SELECT_LINES) * LINE + 1];
  const control = type === 'textarea' ? TEXTAREA : CONTROL;
  return isMultiple && type !== 'email' && type !== 'select' ? [control, ADD_BUTTON] : [control];
}

function fieldHeight(field: MeasuredField, width: number): number {
  const { label, helpText, linkUrl, showLabel } = field;
  const parts = [
    ...(showLabel && !isSwitch(field) ? [textHeight(label.length + 2, width)] : []),
    ...controlHeights(field, width),
    ...(helpText === null ? [] : [textHeight(helpText.length, width, SMALL_TEXT)]),
    ...(linkUrl === null ? [] : [LINE * SMALL_TEXT]),
  ];
  return stacked(parts, GAP_IN_FIELD);
}

/**
 * Estimates the height of a form as it first appears on a page, in rem, rounded up.
 *
 * @param width the form's width, in rem.
 */
export function formHeightRem(
  { fields, privacyNoticeText, privacyNoticeUrl }: MeasuredForm,
  width: number,
): number {
  const shown = fields.filter(({ type, visibility }) => type !== 'hidden' && visibility === null);
  const notice = (privacyNoticeText?.length ?? 0) + (privacyNoticeUrl === null ? 0 : PRIVACY_LINK);
  const parts = [
    ...shown.map((field) => fieldHeight(field, width)),
    ...(fields.some(({ isRequired, type }) => isRequired && type !== 'hidden') ? [LINE * SMALL_TEXT] : []),
    ...(notice > 0 ? [textHeight(notice, width, SMALL_TEXT)] : []),
    CONTROL,
  ];
  return Math.ceil(stacked(parts, GAP));
}
