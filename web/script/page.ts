import { baseLocale } from '../../src/forms/definition/locales.js';
import { type Definition, readDefinition } from './definition.js';
import { h, noteOn } from './elements.js';
import { emit, type MountedForm, renderForm } from './form.js';
import { type Answer, createGateway, nextPauseS } from './gateway.js';
import { createSender, type Site } from './sender.js';
import { failure, type Outcome, reasonOf } from './submission.js';
import { languageOf, recordVisit } from './visitor.js';
import { wordsOf } from './words.js';

/** Settings of a page that apply to all its forms. */
export type Settings = Readonly<{
  /** Address of the gateway, without a slash at its end. */
  gateway: string;
  /** Id of the website. */
  website: string;
  nonce?: string;
  /** Language of the forms; by default that of the page around each form. */
  locale?: string | undefined;
}>;

export type MountOptions = Readonly<{
  /** Slug of the form. */
  form: string;
  /** Initial values of the fields, by name. */
  values?: Readonly<Record<string, unknown>>;
}>;

/** Maximum number of entries of one request. */
const MAX_ENTRIES = 20;

const SLUG = /^[\w-]+$/;

const siteOf = ({ gateway, website, nonce = '' }: Settings): Site => ({
  gateway: createGateway({ base: gateway.replace(/\/+$/, ''), website }),
  website,
  nonce,
});

/** Builds an entry of the configuration's query: the form, and the base of the requested language. */
function entryOf(slug: string, language: string): string {
  const base = baseLocale(language);
  return `${slug}~${/^[a-z]{1,8}$/.test(base) ? base : ''}`;
}

/**
 * Claims a place for a form; false when the form is already mounted there. A place in which none is has copies of forms
 * at most, as a router's snapshot has them, which would be sent to the page.
 */
function claim(place: Element, slug: string): boolean {
  const mounted = noteOn(place, () => {
    for (const copy of place.querySelectorAll(':scope>[data-fg]')) copy.remove();
    return new Set<string>();
  });
  return mounted.size < mounted.add(slug).size;
}

function prefilled(host: Element | null): Record<string, unknown> {
  try {
    return Object(JSON.parse(host?.getAttribute('data-values') ?? '{}'));
  } catch {
    console.error('Formgate: data-values is no JSON.');
    return {};
  }
}

type Wanted = Readonly<{
  slug: string;
  /** Its entry in the configuration's query. */
  entry: string;
  /** The form's element; null for one that goes where its placement says. */
  host: Element | null;
  language: string;
  values?: MountOptions['values'];
}>;

/** Takes away what an element says about a form that was not available, also to a mount before. */
const clearNote = (host: Element | null) => host?.querySelector(':scope>.fg-missing')?.remove();

/**
 * Reports a form that is not available; the visitor is told unless the website has no such form.
 *
 * @param error why it cannot be shown although there is one.
 */
function reportMissing({ slug, host, language }: Wanted, answer: Answer, error?: unknown): void {
  const { status, body } = answer;
  const isMissing = status === 200 && !error;
  const message = isMissing ? '' : wordsOf(language).unavailable;
  clearNote(host);
  if (message) host?.append(h('p', { class: 'fg-missing', role: 'status' }, message));
  const why = isMissing ? 'it is not on this website' : `${status} ${body.error ?? body.message ?? ''}`;
  if (error) console.error(`Formgate: the form "${slug}" failed.`, error);
  else console.error(`Formgate: no form "${slug}" on ${location.origin}: ${why}`);
  emit(host ?? document.documentElement, 'error', { form: slug, ...failure(answer, 'refused'), message });
}

/** Reads a form of an answer. No property that objects have has a name like an entry's, which contains `~`. */
const definitionOf = ({ body, versions }: Answer, entry: string): Definition | null =>
  readDefinition(Object(body.forms)[entry], versions);

/** Tells whether the same request may be answered otherwise later: there was no answer, or 408, 429 or 5xx. */
const isTemporary = (answer: Answer): boolean => /^un|_many/.test(reasonOf(answer));

/** Waits for so many seconds, or until the browser is online again. */
const pause = (seconds: number): Promise<unknown> =>
  new Promise((resolve) => {
    const end = () => {
      removeEventListener('online', end);
      resolve(null);
    };
    setTimeout(end, seconds * 1000);
    addEventListener('online', end);
  });

/** Renders a form of an answer in its place; null for one that is not available. */
function show(site: Site, wanted: Wanted, answer: Answer): MountedForm | null {
  const { slug, entry, host, values } = wanted;
  clearNote(host);
  // A form that fails must not take the others of the page along.
  try {
    const definition = definitionOf(answer, entry);
    const selector = definition?.cssSelector;
    const place = host ?? (selector ? document.querySelector(selector) : null);
    if (!definition) reportMissing(wanted, answer);
    else if (!place) console.error(`Formgate: the form "${slug}" has no place.`);
    else if (host || claim(place, slug)) {
      return renderForm(
        place,
        definition,
        (captcha, shown) => createSender(site, shown, captcha),
        values,
        async () => definitionOf(await site.gateway.config([entry], 'no-cache'), entry),
      );
    }
  } catch (error) {
    reportMissing(wanted, answer, error);
  }
  return null;
}

/**
 * Renders forms with one request, which is repeated while the gateway is away.
 *
 * @param entries Their entries in the configuration's query, each once.
 * @returns the forms in their order, null for one that is not available; none when their elements have left the page.
 */
async function load(
  site: Site,
  wanted: readonly Wanted[],
  entries: readonly string[],
): Promise<(MountedForm | null)[]> {
  let pauseS = 1;
  for (;;) {
    const answer = await site.gateway.config(entries);
    if (!isTemporary(answer)) {
      void recordVisit(site.website, site.gateway);
      return wanted.map((each) => show(site, each, answer));
    }
    if (pauseS === 1) for (const each of wanted) reportMissing(each, answer);
    pauseS = nextPauseS(pauseS, answer.waitS);
    await pause(pauseS);
    if (wanted.every(({ host }) => host?.isConnected === false)) return [];
  }
}

/**
 * Renders one form inside an element; null when it is not available, which an event and the console report. While the
 * gateway is away, the promise waits for as long as the element is on the page.
 */
export async function mountForm(
  element: Element,
  { form, values, ...settings }: Settings & MountOptions,
): Promise<MountedForm | null> {
  const language = settings.locale ?? languageOf(element);
  const entry = entryOf(form, language);
  const wanted = { slug: form, entry, host: element, language, values };
  claim(element, '');
  return (await load(siteOf(settings), [wanted], [entry]))[0] ?? null;
}

/** Sends values without a form on the page. */
export function submitValues(
  values: Readonly<Record<string, unknown>>,
  { form, ...settings }: Settings & Pick<MountOptions, 'form'>,
): Promise<Outcome> {
  const site = siteOf(settings);
  void recordVisit(site.website, site.gateway);
  const place = h('div');
  document.body.append(place);
  const language = settings.locale ?? document.documentElement.lang;
  const sent = createSender(site, { slug: form }, place).send(values, baseLocale(language));
  return sent.finally(() => place.remove());
}

/**
 * Renders the forms of a page, with one request for every twenty of them: those of its elements with `data-formgate`,
 * and those named in `slugs`, which go where their placement says (`css_selector`).
 */
export function mountPage(settings: Settings, slugs: readonly string[]): void {
  const site = siteOf(settings);
  const want = (slug: string, host: Element | null): Wanted => {
    const language =
      host?.getAttribute('data-locale') ?? settings.locale ?? languageOf(host ?? document.documentElement);
    return { slug, entry: entryOf(slug, language), host, language, values: prefilled(host) };
  };
  const wanted = [
    ...[...document.querySelectorAll('[data-formgate]')]
      .map((host) => want(host.getAttribute('data-formgate') ?? '', host))
      .filter(({ slug, host }) => claim(host!, slug)),
    ...slugs.map((slug) => want(slug, null)),
  ].filter(({ slug }) => SLUG.test(slug) || console.error(`Formgate: "${slug}" is no form.`));
  const entries = [...new Set(wanted.map(({ entry }) => entry))];
  for (let start = 0; start < entries.length; start += MAX_ENTRIES) {
    const part = entries.slice(start, start + MAX_ENTRIES).sort();
    void load(
      site,
      wanted.filter(({ entry }) => part.includes(entry)),
      part,
    );
  }
}
