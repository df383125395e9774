import { escapeHtml } from '../lib/text/html.js';
import { parseUrl } from '../lib/text/http-url.js';
import { withoutDirection } from '../lib/text/text.js';

/** A labelled value. The label is one line; the value may have several. */
export interface EmailRow {
  label: string;
  value: string;
  /** The URL that the value leads to, if it leads anywhere; one that is not http or https is not followed. */
  url?: string;
}

/** Makes a row of a URL that stands for itself. */
export const linkRow = (label: string, url: string): EmailRow => ({ label, value: url, url });

/** Returns a row's value as it is shown: a link's cannot pretend to lead to another host. */
export const shownValue = ({ value, url }: EmailRow): string =>
  url === undefined ? value : withoutDirection(value);

/** Labelled values under an optional title. */
export interface EmailSection {
  title: string | null;
  note: string | null;
  rows: readonly EmailRow[];
}

/** The content of an e-mail, in reading order, before it is rendered as text or as HTML. */
export interface EmailPage {
  /** The language tag for the `lang` attribute. */
  language: string;
  title: string;
  introduction: string;
  warning: string | null;
  sections: readonly EmailSection[];
}

/** Follows the reader's dark mode. Outlook ignores style sheets and falls back on the inline styles. */
const STYLE_SHEET = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){body,td,th,p,h2{background-color:#16181d!important;color:#e8eaed!important}a{color:#8ab4f8!important}}`;

const WRAP = 'overflow-wrap:anywhere;word-break:break-word';
const FONT = `font-family:Arial,Helvetica,sans-serif;font-size:15px;line-height:1.5;color:#1f2328;${WRAP}`;
const CELL = `padding:8px 12px 8px 0;border-bottom:1px solid #8c959f;vertical-align:top;text-align:left;${FONT}`;
// Many mail programs drop the wrapping of table cells, but not that of an element inside.
const LABEL = `${WRAP};unicode-bidi:plaintext`;
const VALUE = `${LABEL};white-space:pre-wrap`;

/**
 * Renders a notification e-mail as one HTML document.
 *
 * Mail programs need tables and inline styles. The document loads nothing from elsewhere and escapes every text.
 */
export function renderHtml(page: EmailPage): string {
  const warning = page.warning
    ? `<p style="${FONT};border-left:4px solid #bf8700;padding-left:12px"><strong>${escapeHtml(page.warning)}</strong></p>\n`
    : '';
  return `<!DOCTYPE html>
<html lang="${page.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(page.title)}</title>
<style>${STYLE_SHEET}</style>
</head>
<body style="margin:0;padding:16px;${FONT}">
<p style="${FONT}">${escapeHtml(page.introduction)}</p>
${warning}${page.sections.map(renderSection).join('\n')}
</body>
</html>
`;
}

function renderSection({ title, note, rows }: EmailSection): string {
  const heading = title
    ? `<h2 style="${FONT};font-size:17px;margin:24px 0 4px">${escapeHtml(title)}</h2>\n`
    : '';
  const remark = note ? `<p style="${FONT};margin:0 0 4px">${escapeHtml(note)}</p>\n` : '';
  const lines = rows.map(
    (row) =>
      `<tr><th scope="row" width="30%" style="${CELL}"><div dir="auto" style="${LABEL}">${escapeHtml(row.label)}</div></th><td style="${CELL}"><div dir="auto" style="${VALUE}">${renderValue(row)}</div></td></tr>`,
  );
  if (lines.length === 0) return `${heading}${remark}`;
  return `${heading}${remark}<table width="100%" cellpadding="0" cellspacing="0" style="border-collapse:collapse;table-layout:fixed;max-width:720px">\n${lines.join('\n')}\n</table>`;
}

function renderValue(row: EmailRow): string {
  const html = escapeHtml(shownValue(row)).replaceAll('\n', '<br>');
  const href = row.url === undefined ? null : webAddress(row.url);
  return href ? `<a href="${escapeHtml(href)}" rel="noopener noreferrer">${html}</a>` : html;
}

/** Returns a URL in its normal form when it is http or https; null for `javascript:` and everything else. */
function webAddress(text: string): string | null {
  const url = parseUrl(text);
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : null;
}
