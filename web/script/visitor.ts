import { noteOn } from './elements.js';
import type { Gateway } from './gateway.js';

/** Maximum time that a submission waits for the hash of its visitor. */
const PATIENCE_MS = 2_000;

/** The visitor hashes of the page's websites, by their ids. */
const hashes = noteOn<Partial<Record<string, Promise<unknown>>>>(globalThis, () => ({}));

const pageLanguage = () => document.documentElement.lang.trim();

/** Reads the language that an element's page declares; empty when it declares none. */
export const languageOf = (element: Element): string =>
  element.closest('[lang]')?.getAttribute('lang')?.trim() ?? pageLanguage();

/** Describes the page, in the fields of a submission and of a visit. */
const pageFields = () => ({
  page_url: location.href.slice(0, 4096),
  page_title: document.title,
  page_locale: pageLanguage().slice(0, 35),
});

/** Waits until the visitor opens a page that the browser has prerendered. */
const opened = (): Promise<unknown> =>
  new Promise((resolve) => {
    if ((document as { prerendering?: boolean }).prerendering) {
      document.addEventListener('prerenderingchange', resolve);
    } else resolve(0);
  });

/** Records the view of this page on a website, once, and keeps the resulting visitor hash. */
export function recordVisit(website: string, gateway: Pick<Gateway, 'visit'>): Promise<unknown> {
  hashes[website] ??= opened()
    .then(() => gateway.visit({ ...pageFields(), referrer: document.referrer }))
    .then(({ body }) => body.visitor_hash);
  return hashes[website];
}

/** Builds the context fields of a submission; those without a value are left out. */
export async function contextFields(
  website: string,
  formLocale: string,
): Promise<Readonly<Record<string, unknown>>> {
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  const hash = await Promise.race([hashes[website], late]);
  const fields = { ...pageFields(), form_locale: formLocale.slice(0, 10), visitor_hash: hash };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
}
