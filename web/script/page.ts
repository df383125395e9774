import { baseLocale } from '../../src/forms/definition/locales.js';
import { type Definition, readDefinition } from './definition.js';
import { h } from './elements.js';
import { createSender, emit, type MountedForm, renderForm, type Site } from './form.js';
import type { Answer } from './gateway.js';
import { createGateway } from './gateway.js';
import { failure, type Outcome } from './submission.js';
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
  locale?: string;
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
 * Reports a form that is not available; the visitor is told only when the cause is temporary.
 *
 * @param host the form's element; null when it is unknown.
 */
function reportMissing(host: Element | null, slug: string, answer: Answer, language: string): void {
  const { status, body } = answer;
  const isMissing = status === 200;
  const message = isMissing ? '' : wordsOf(language).unavailable;
  if (message) host?.append(h('p', { role: 'status' }, message));
  const why = isMissing ? 'it is not on this website' : `${status} ${body.error ?? body.message ?? ''}`;
  console.error(`Formgate: no form "${slug}" on ${location.origin}: ${why}`);
  emit(host ?? document.documentElement, 'error', { form: slug, ...failure(answer, 'refused'), message });
}

function definitionOf({ body }: Answer, entry: string): Definition | null {
  const forms = (body.forms ?? {}) as Record<string, unknown>;
  return Object.hasOwn(forms, entry) ? readDefinition(forms[entry]) : null;
}

const render = (host: Element, definition: Definition, site: Site, values?: MountOptions['values']) =>
  renderForm(host, definition, (place) => createSender(site, definition.slug, place), values);

/** Renders one form inside an element; null when it is not available, which an event and the console report. */
export async function mountForm(
  element: Element,
  { form, values, ...settings }: Settings & MountOptions,
): Promise<MountedForm | null> {
  const site = siteOf(settings);
  const language = settings.locale ?? languageOf(element);
  const entry = entryOf(form, language);
  const answer = await site.gateway.config([entry]);
  void recordVisit(site.website, site.gateway);
  const definition = definitionOf(answer, entry);
  if (definition) return render(element, definition, site, values);
  reportMissing(element, form, answer, language);
  return null;
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
  const sent = createSender(site, form, place).send(values, baseLocale(language));
  return sent.finally(() => place.remove());
}

type Wanted = Readonly<{ slug: string; entry: string; host: Element | null; language: string }>;

/** Key of an element's set of mounted slugs, shared with other copies of the script. */
const MOUNTED = Symbol.for('formgate');

/** Claims a place for a form; false when the form is already mounted there. */
function claim(place: Element & { [MOUNTED]?: Set<string> }, slug: string): boolean {
  place[MOUNTED] ??= new Set();
  return place[MOUNTED].size < place[MOUNTED].add(slug).size;
}

function prefilled(host: Element | null): Record<string, unknown> {
  try {
    const values: unknown = JSON.parse(host?.getAttribute('data-values') ?? '{}');
    return typeof values === 'object' && values !== null ? (values as Record<string, unknown>) : {};
  } catch {
    console.error('Formgate: data-values is no JSON object.');
    return {};
  }
}

function find(selector: string): Element | null {
  try {
    return document.querySelector(selector);
  } catch {
    console.error(`Formgate: ${selector} is no CSS selector.`);
    return null;
  }
}

/**
 * Renders the forms of a page with one request: those of its elements with `data-formgate`, and those named
 * in `slugs`, which go where their placement says (`css_selector`).
 */
export async function mountPage(settings: Settings, slugs: readonly string[]): Promise<void> {
  const site = siteOf(settings);
  const want = (slug: string, host: Element | null): Wanted => {
    const language =
      host?.getAttribute('data-locale') ?? settings.locale ?? languageOf(host ?? document.documentElement);
    return { slug, entry: entryOf(slug, language), host, language };
  };
  const wanted = [
    ...[...document.querySelectorAll('[data-formgate]')]
      .map((host) => want(host.getAttribute('data-formgate') ?? '', host))
      .filter(({ slug, host }) => claim(host!, slug)),
    ...slugs.map((slug) => want(slug, null)),
  ].filter(({ slug }) => SLUG.test(slug) || console.error(`Formgate: "${slug}" is no form.`));
  const entries = [...new Set(wanted.map(({ entry }) => entry))].sort();
  if (entries.length === 0) return;
  const answers = new Map<string, Answer>();
  for (let start = 0; start < entries.length; start += MAX_ENTRIES) {
    const part = entries.slice(start, start + MAX_ENTRIES);
    const answer = await site.gateway.config(part);
    for (const entry of part) answers.set(entry, answer);
  }
  void recordVisit(site.website, site.gateway);
  for (const { slug, entry, host, language } of wanted) {
    const answer = answers.get(entry)!;
    const definition = definitionOf(answer, entry);
    const place = host ?? (definition?.cssSelector ? find(definition.cssSelector) : null);
    if (!definition) reportMissing(place, slug, answer, language);
    else if (!place) console.error(`Formgate: the page has no place for the form "${slug}".`);
    else if (host || claim(place, slug)) render(place, definition, site, prefilled(host));
  }
}
