/** What decides the height of a form on a page. */
export type MeasuredForm = Readonly<{
  privacyNoticeText: string | null;
  privacyNoticeUrl: string | null;
  fields: readonly Readonly<{
    type: string;
    isRequired: boolean;
    isMultiple: boolean;
    showLabel: boolean;
    helpText: string | null;
    linkUrl: string | null;
    visibility: unknown;
    options: readonly unknown[];
  }>[];
}>;

type MeasuredField = MeasuredForm['fields'][number];

/* The heights of the script's style sheet (`web/script/style.ts`), in rem. */
const LINE = 1.5;
const SMALL_LINE = 1.3125;
const CONTROL = 2.75;
const TEXTAREA = 8;
const CHOICE = 1.75;
const ADD_BUTTON = 2.25;
const SELECT_LINES = 6;
const GAP_IN_FIELD = 0.35;
const GAP = 1.25;

const stacked = (heights: readonly number[], gap: number): number =>
  heights.reduce((sum, height) => sum + height, 0) + gap * Math.max(0, heights.length - 1);

function controlHeights({ type, isMultiple, options }: MeasuredField): number[] {
  // A consent's text is often longer than a line.
  if (type === 'consent') return [2 * LINE];
  if (type === 'checkbox' || type === 'radio')
    return [stacked(Array(options.length || 1).fill(CHOICE), GAP_IN_FIELD)];
  if (type === 'select' && isMultiple) return [Math.min(options.length, SELECT_LINES) * LINE + 1];
  const control = type === 'textarea' ? TEXTAREA : CONTROL;
  return isMultiple && type !== 'email' && type !== 'select' ? [control, ADD_BUTTON] : [control];
}

function fieldHeight(field: MeasuredField): number {
  const hasLabel = field.showLabel && field.type !== 'consent';
  const smallLines = [field.helpText, field.linkUrl].filter((text) => text !== null).length;
  const parts = [
    ...(hasLabel ? [LINE] : []),
    ...controlHeights(field),
    ...Array(smallLines).fill(SMALL_LINE),
  ];
  return stacked(parts, GAP_IN_FIELD);
}

/** Estimates the height of a form as it first appears on a page, in rem, rounded up. */
export function formHeightRem({ fields, privacyNoticeText, privacyNoticeUrl }: MeasuredForm): number {
  const shown = fields.filter(({ type, visibility }) => type !== 'hidden' && visibility === null);
  const hasNotice = privacyNoticeText !== null || privacyNoticeUrl !== null;
  const parts = [
    ...shown.map(fieldHeight),
    ...(fields.some(({ isRequired, type }) => isRequired && type !== 'hidden') ? [SMALL_LINE] : []),
    ...(hasNotice ? [2 * SMALL_LINE] : []),
    CONTROL,
  ];
  return Math.ceil(stacked(parts, GAP));
}
