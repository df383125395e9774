import { colonOf } from '../lib/text/colon.js';
import { type EmailPage, type EmailRow, shownValue } from './email.html.js';

type Options = Readonly<{
  /** Writes the title of a section. */
  heading?(title: string): string;
  row?(row: EmailRow, colon: string): string;
}>;

const plainHeading = (title: string): string => title;

const plainRow = ({ label, value }: EmailRow, colon: string): string => `${label}${colon}${value}`;

/** Renders the text part of an e-mail: its blocks are parted by an empty line, and each row is a line of its own. */
export function renderText(
  page: EmailPage,
  { heading = plainHeading, row = plainRow }: Options = {},
): string {
  const colon = colonOf(page.language);
  const blocks = [
    page.introduction,
    ...(page.warning ? [page.warning] : []),
    ...page.sections.map(({ title, note, rows }) =>
      [
        ...(title ? [heading(title)] : []),
        ...(note ? [note] : []),
        ...rows.map((each) => row({ ...each, value: shownValue(each) }, colon)),
      ].join('\n'),
    ),
  ];
  return `${blocks.join('\n\n')}\n`;
}
