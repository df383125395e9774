import express, { type Express } from 'express';
import { hashSource } from '../../http/security-headers.js';
import { escapeHtml } from '../../lib/text/html.js';
import type { Mail, MailStore, MailSummary } from './mail-store.js';

/** Answer of `GET /api/catcher`, which distinguishes a catcher from any other server on its port. */
export interface CatcherIdentity {
  id: string;
  smtpUrl: string;
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9dee4, #343b44); --quiet: light-dark(#5b6672, #9aa5b1);
  --paper: light-dark(#fff, #171b20); --accent: light-dark(#0b5cad, #79b8ff); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--paper);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header { display: flex; align-items: baseline; gap: 1rem; margin-bottom: 1rem; }
h1 { font-size: 1.25rem; margin: 0; flex: 1; }
h2, summary { font-size: 1rem; font-weight: 600; margin: 2rem 0 .5rem; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
button { font: inherit; padding: .2rem .8rem; border: 1px solid var(--line); border-radius: 6px;
  background: none; color: inherit; cursor: pointer; }
ol { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); }
li a { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; padding: .6rem .25rem;
  border-bottom: 1px solid var(--line); color: inherit; }
li strong { font-weight: 600; }
time, .quiet, dt { color: var(--quiet); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; }
dd { margin: 0; }
pre, iframe { width: 100%; margin: 0; padding: 1rem; border: 1px solid var(--line); border-radius: 6px; }
pre { white-space: pre-wrap; font: 13px/1.5 ui-monospace, monospace; }
iframe { height: 30rem; padding: 0; background: #fff; }
`;

const SCRIPT = `
const show = async () => {
  const page = await fetch(location.href).then((answer) => answer.text());
  const fresh = new DOMParser().parseFromString(page, 'text/html').querySelector('main');
  const shown = document.querySelector('main');
  if (fresh && fresh.innerHTML !== shown.innerHTML) shown.replaceWith(fresh);
};
setInterval(() => show().catch(() => {}), 1000);
for (const button of document.querySelectorAll('button'))
  button.onclick = () => fetch('/api/messages/delete', { method: 'POST' }).then(show);
`;

const PAGE_POLICY = [
  `default-src 'none'`,
  `style-src ${hashSource(STYLE)}`,
  `script-src ${hashSource(SCRIPT)}`,
  `connect-src 'self'`,
  `frame-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** Policy for the sender's HTML: its own styles and embedded images, no script, no network request. */
const MAIL_POLICY = `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'`;

/** Serves the pages of caught mails, and the same content as JSON under `/api`. */
export function createMailPage(store: MailStore, identity: CatcherIdentity): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use((request, response, next) => {
    response.set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': PAGE_POLICY,
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
    // A foreign host name that resolves to this machine (DNS rebinding) must not read the mail.
    if (isLocalName(request.hostname)) next();
    else response.status(403).json({ message: 'Open this page by its own address.' });
  });

  app.get('/', async (_request, response) => void response.send(listPage(await store.list())));
  app.get('/messages/:id', async (request, response) => {
    const mail = await store.read(request.params.id);
    if (mail) response.send(mailPage(mail));
    else response.status(404).send(page('Not found', '<p>This mail is not here any more.</p>'));
  });
  app.get('/messages/:id/html', async (request, response) => {
    const mail = await store.read(request.params.id);
    response.set('Content-Security-Policy', MAIL_POLICY);
    response
      .status(mail ? 200 : 404)
      .type('html')
      .send(mail?.html ?? '');
  });

  app.get('/api/catcher', (_request, response) => void response.json(identity));
  app.get('/api/messages', async (_request, response) => void response.json(await store.list()));
  app.get('/api/messages/:id', async (request, response) => {
    const mail = await store.read(request.params.id);
    if (mail) response.json(mail);
    else response.status(404).json({ message: 'No such mail.' });
  });
  app.post('/api/messages/delete', async (request, response) => {
    const origin = request.get('Origin');
    // Browsers send Origin with each POST; other clients send none.
    if (origin !== undefined && origin !== `http://${request.get('Host')}`) {
      return void response.status(403).json({ message: 'Another site may not delete mails.' });
    }
    await store.clear();
    response.status(204).end();
  });
  return app;
}

function isLocalName(name: string | undefined): boolean {
  return name !== undefined && (name === 'localhost' || /^[\d.]+$/.test(name) || name.startsWith('['));
}

function listPage(mails: MailSummary[]): string {
  const items = mails.map(
    (mail) => `<li><a href="/messages/${mail.id}">
      <strong>${escapeHtml(mail.subject || '(no subject)')}</strong>${time(mail.receivedAt)}
      <span class="quiet">${escapeHtml(mail.from)} → ${escapeHtml(mail.to.join(', '))}</span></a></li>`,
  );
  const list = mails.length
    ? `<ol>${items.join('')}</ol>`
    : '<p class="quiet">No mail yet. It appears here by itself.</p>';
  return page(
    'Mail',
    `<header><h1>Mail</h1><button type="button">Delete all</button></header><main>${list}</main><script>${SCRIPT}</script>`,
  );
}

function mailPage(mail: Mail): string {
  const headers = [
    ['From', mail.from],
    ['To', mail.to.join(', ')],
    ['Reply-To', mail.replyTo.join(', ')],
    ['Subject', mail.subject],
    ['Date', mail.date],
    ['Message-ID', mail.messageId],
  ].map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value || '–')}</dd>`);
  const html = `<h2>HTML</h2><iframe sandbox title="HTML part" src="/messages/${mail.id}/html"></iframe>`;
  return page(
    mail.subject || '(no subject)',
    `<header><h1>${escapeHtml(mail.subject || '(no subject)')}</h1><a href="/">All mail</a></header>
    <main><dl>${headers.join('')}</dl>
    ${mail.text ? `<h2>Text</h2><pre>${escapeHtml(mail.text)}</pre>` : ''}
    ${mail.html ? html : ''}
    <details><summary>Source</summary><pre>${escapeHtml(mail.raw)}</pre></details></main>`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>`;
}

const time = (iso: string) => `<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`;
