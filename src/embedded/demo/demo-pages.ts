import { hashSource } from '../../http/security-headers.js';
import { escapeHtml } from '../../lib/text/html.js';
import { DEMO_WEBSITES } from './demo-websites.js';

export type DemoLanguage = 'fr' | 'en';

/** The URLs and settings that the demo's pages contain. */
export type DemoLinks = Readonly<{
  gateway: string;
  mailPageUrl: string | null;
  /** The origins of the two websites. */
  plain: string;
  chain: string;
  /** Whether the gateway asks the demo's stand-in instead of reCAPTCHA. */
  isStandInAsked: boolean;
}>;

/** A submission as the page of arrivals shows it. */
export type Arrival = Readonly<{
  id: string;
  website: string;
  locale: string;
  at: Date;
  captcha: string;
  mail: string;
  values: Readonly<Record<string, unknown>>;
}>;

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5dbd0, #3a4238); --quiet: light-dark(#55604f, #a3ae9c);
  --paper: light-dark(#fbfcf9, #161a15); --green: light-dark(#2f6b3c, #8fcf9c); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: light-dark(#1d231b, #e8ece5);
  font: 17px/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main, footer { max-width: 46rem; margin: auto; padding: 0 1.25rem; }
header { display: flex; flex-wrap: wrap; gap: .35rem 1rem; font-size: .95rem; padding-block: 1.25rem; align-items: baseline; }
header strong { margin-right: auto; font-size: 1.1rem; }
main { padding-block: 1.5rem 3rem; }
h1 { font-size: clamp(1.6rem, 5vw, 2.25rem); line-height: 1.2; margin: 0 0 .75rem; }
a { color: var(--green); }
.note { color: var(--quiet); font-size: .9rem; margin: 0 0 1.75rem; }
fieldset.choice { border: 1px solid var(--line); border-radius: .5rem; margin: 0 0 1.75rem; padding: .75rem 1rem; }
.choice label { display: flex; gap: .6rem; padding: .2rem 0; align-items: baseline; }
footer { border-top: 1px solid var(--line); padding-block: 1.25rem; color: var(--quiet); font-size: .9rem; }
article { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.25rem; margin: 0 0 1rem; }
article h2 { font-size: 1rem; margin: 0 0 .25rem; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .15rem 1rem; margin: .5rem 0 0; }
dt { color: var(--quiet); } dd { margin: 0; white-space: pre-line; }
`;

/** Stands in for reCAPTCHA's script: its tokens tell the verification's stand-in how to answer. */
export const STAND_IN_SCRIPT = `
const chosen = () => document.querySelector('[name=provider]:checked')?.value ?? 'works';
window.grecaptcha = {
  ready(callback) { if (chosen() !== 'absent') callback(); },
  execute: async () => chosen() + '-' + crypto.randomUUID(),
};
`;

/** Builds the pages' content security policy: the gateway, the widget's worker, and only styles inline. */
export function pagePolicy({ gateway }: Pick<DemoLinks, 'gateway'>): string {
  return [
    `default-src 'none'`,
    `script-src 'self' ${gateway}`,
    `connect-src ${gateway}`,
    `worker-src blob:`,
    `style-src ${hashSource(STYLE)}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

const TEXTS = {
  fr: {
    plain: 'Preuve de travail',
    chain: 'Chaîne de captchas',
    arrived: 'Ce qui est arrivé',
    other: 'English',
    title: { plain: 'Parlons de votre jardin', chain: 'Un jardin, deux captchas' },
    note: {
      plain: 'Ce site est protégé par la preuve de travail de Formgate : rien ne quitte cette machine.',
      chain:
        "La chaîne de ce site est reCAPTCHA, puis la preuve de travail. reCAPTCHA n'est pas contacté : la démonstration répond à sa place.",
    },
    unasked:
      "RECAPTCHA_VERIFY_URL est réglé : la passerelle n'interroge donc pas la démonstration, et refusera ses jetons.",
    question: 'Le fournisseur de remplacement…',
    choices: {
      works: 'fonctionne',
      down: 'est en panne : la passerelle le constate et désigne le maillon suivant',
      absent: 'ne se charge pas : après dix secondes, la page passe à la preuve de travail',
    },
    footer: 'Une page ordinaire, avec une politique de sécurité stricte et le script de Formgate.',
  },
  en: {
    plain: 'Proof of work',
    chain: 'Captcha chain',
    arrived: 'What has arrived',
    other: 'Français',
    title: { plain: 'Let us talk about your garden', chain: 'One garden, two captchas' },
    note: {
      plain: 'This website is protected by the proof of work of Formgate: nothing leaves this machine.',
      chain:
        'The chain of this website is reCAPTCHA, then the proof of work. reCAPTCHA is not contacted: the demo answers in its place.',
    },
    unasked: 'RECAPTCHA_VERIFY_URL is set, so the gateway does not ask the demo and will refuse its tokens.',
    question: 'The provider’s stand-in…',
    choices: {
      works: 'works',
      down: 'is down: the gateway notices and names the next step',
      absent: 'does not load: after ten seconds the page goes on to the proof of work',
    },
    footer: 'An ordinary page with a strict security policy and the script of Formgate.',
  },
} as const;

function document(language: string, title: string, body: string): string {
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>`;
}

function navigation(language: DemoLanguage, links: DemoLinks, otherUrl: string | null): string {
  const texts = TEXTS[language];
  const anchors = [
    [`${links.plain}/${language}/`, texts.plain],
    [`${links.chain}/${language}/`, texts.chain],
    [`${links.plain}/arrived`, texts.arrived],
    ...(otherUrl ? [[otherUrl, texts.other]] : []),
  ];
  const items = anchors.map(([url, text]) => `<a href="${escapeHtml(url!)}">${escapeHtml(text!)}</a>`);
  return `<header><strong>Lumen Paysage</strong>${items.join('')}</header>`;
}

/** Renders a page with the form, of one of the websites, in one of the languages. */
export function formPage(kind: keyof typeof DEMO_WEBSITES, language: DemoLanguage, links: DemoLinks): string {
  const texts = TEXTS[language];
  const other = language === 'fr' ? 'en' : 'fr';
  const choices = Object.entries(texts.choices).map(
    ([value, text]) =>
      `<label><input type="radio" name="provider" value="${value}"${value === 'works' ? ' checked' : ''}>
      <span>${escapeHtml(text)}</span></label>`,
  );
  const choice = `<fieldset class="choice"><legend>${escapeHtml(texts.question)}</legend>${choices.join('')}</fieldset>
${links.isStandInAsked ? '' : `<p class="note">${escapeHtml(texts.unasked)}</p>`}
<script src="/stand-in.js"></script>`;
  return document(
    language,
    texts.title[kind],
    `${navigation(language, links, `${links[kind]}/${other}/`)}
<main><h1>${escapeHtml(texts.title[kind])}</h1><p class="note">${escapeHtml(texts.note[kind])}</p>
${kind === 'chain' ? choice : ''}
<div data-formgate="demo" data-values="${escapeHtml('{"campaign":"demo"}')}"></div></main>
<footer>${escapeHtml(texts.footer)}</footer>
<script src="${escapeHtml(links.gateway)}/formgate.js" data-website="${DEMO_WEBSITES[kind]}" async></script>`,
  );
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value));

/** Renders the latest submissions of the demo's websites, and links to their e-mails. */
export function arrivedPage(arrivals: readonly Arrival[], links: DemoLinks): string {
  const items = arrivals.map(({ id, website, locale, at, captcha, mail, values }) => {
    const rows = Object.entries(values).map(
      ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(textOf(value))}</dd>`,
    );
    return `<article><h2>${escapeHtml(website)}</h2><div class="note">${at.toISOString().slice(0, 19).replace('T', ' ')} UTC,
      ${escapeHtml(locale)}, ${escapeHtml(captcha)}, e-mail ${escapeHtml(mail)}<br>lead_id ${id}</div>
      <dl>${rows.join('')}</dl></article>`;
  });
  const mails = links.mailPageUrl
    ? `<p>Their e-mails are on <a href="${escapeHtml(links.mailPageUrl)}">the mail catcher's page</a>.</p>`
    : '<p>SMTP_URL is set, so the e-mails have gone to that server.</p>';
  const list = items.join('') || '<p class="note">Nothing has been sent yet.</p>';
  return document(
    'en',
    'What has arrived',
    `${navigation('en', links, null)}<main><h1>What has arrived</h1>${mails}${list}</main>`,
  );
}
