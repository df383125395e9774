import type { Demo } from '../embedded/demo/demo.js';

type Addresses = Readonly<{
  url: string;
  mailPageUrl: string | null;
  demo: Demo | null;
  demoSiteUrl: string | null;
}>;

/** Quotes a text as one word of a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function curl(url: string, { websiteId, form, token, fields }: Demo): string {
  return [
    `curl ${url}/api/websites/${websiteId}/forms/${form}/submit`,
    `-H ${quoted(`Authorization: Bearer ${token}`)}`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(fields))}`,
  ].join(' \\\n       ');
}

/** Builds the banner of `formgate start`: the addresses, and a command to try. */
export function banner({ url, mailPageUrl, demo, demoSiteUrl }: Addresses): string {
  const lines = demo
    ? [`  The panel, logged in (works once, within an hour):`, '', `  ${demo.loginUrl}`]
    : [`  The panel is at ${url}/panel/`];
  lines.push('', `  Formgate is ready at ${url}`);
  if (demo) lines.push('', `  Demo login   ${demo.email}  password ${demo.password}`);
  if (demo?.isFilled)
    lines.push('', '  It is filled with a made-up agency and its leads, none of them real.');
  if (demoSiteUrl) lines.push('', `  Forms to try in a browser at ${demoSiteUrl}`);
  if (mailPageUrl) lines.push('', `  Its e-mails appear at ${mailPageUrl}`);
  if (demo) lines.push('', '  Submit a form:', '', `  ${curl(url, demo)}`);
  return `\n${lines.join('\n')}\n\n`;
}
