/*
 * The document in the panel's frame that previews a form. It renders with the script of the visitors' pages, and the
 * panel stands in for the gateway: the frame itself can reach nothing.
 */

import { readDefinition } from './definition.js';
import { type RenderedForm, renderForm } from './form.js';
import type { Answer } from './gateway.js';
import type { FromPreview, ToPreview } from './preview-messages.js';
import type { Sender } from './sender.js';
import { failure } from './submission.js';

const STYLE = `html{background:canvas;color:canvastext}
body{margin:0;padding:1rem;font:1rem/1.5 system-ui,sans-serif}`;

/** Origin of the gateway, and so of the panel; that of this document is opaque. */
const PANEL = location.origin;

const tell = (message: FromPreview): void => parent.postMessage(message, PANEL);

/** Submissions that wait for the panel's answer. */
const waiting: ((answer: Answer) => void)[] = [];

/** Has the panel answer a submission in place of the gateway: no captcha is solved, and nothing is recorded. */
const sender: Sender = {
  prepare: () => undefined,
  send: (values, locale) =>
    new Promise((resolve) => {
      waiting.push((answer) => {
        const isAccepted = answer.status === 200;
        resolve(
          isAccepted ? { ok: true, message: String(answer.body.message), leadId: '' } : failure(answer),
        );
      });
      tell({ kind: 'submit', id: waiting.length - 1, body: { ...values, form_locale: locale } });
    }),
};

let form: RenderedForm | undefined;
let shown = '';

/** Lists the controls of the form, by the document: a field may be named like a member of the form element. */
const controls = () => [...document.querySelectorAll<HTMLElement>('input,select,textarea,button')];

/** Renders a form in place of the one before, with what was typed there and the focus in the same place. */
function show({ definition: sent, isDark }: Extract<ToPreview, { kind: 'show' }>): void {
  document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
  const text = JSON.stringify(sent);
  const definition = readDefinition(sent);
  if (text === shown || !definition) return;
  shown = text;
  document.documentElement.lang = definition.locale;
  const typed = form?.entered();
  // While the panel has the focus, it stays there.
  const active = document.hasFocus() ? document.activeElement : null;
  const focused = active ? controls().indexOf(active as HTMLElement) : -1;
  form?.unmount();
  form = renderForm(document.body, definition, () => sender, typed);
  controls()[focused]?.focus();
}

function onMessage({ source, origin, data }: MessageEvent<ToPreview>): void {
  if (source !== parent || origin !== PANEL) return;
  if (data.kind === 'show') show(data);
  if (data.kind === 'answer') waiting[data.id]?.(data);
}

function onClick(event: MouseEvent): void {
  const link = event.target instanceof Element && event.target.closest('a');
  if (!link) return;
  event.preventDefault();
  tell({ kind: 'link', url: link.href });
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);
document.adoptedStyleSheets = [sheet];
addEventListener('message', onMessage);
addEventListener('click', onClick);
tell({ kind: 'ready' });
