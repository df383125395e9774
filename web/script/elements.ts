export type Attributes = Readonly<Record<string, string | boolean | null | undefined>>;

const NOTE = Symbol.for('formgate');

/** Returns what the script notes on an element or the page, which its other copies share. */
export const noteOn = <T>(owner: object, create: () => T): T =>
  ((owner as { [NOTE]?: T })[NOTE] ??= create());

/** A part of an element; a false one is left out. */
export type Content = Node | string | false | null;

/** Sets an attribute of an element: true sets an empty one; false, null and undefined remove it. */
export function setAttribute(element: Element, key: string, value: Attributes[string]): void {
  if (value || value === '') element.setAttribute(key, value === true ? '' : value);
  else element.removeAttribute(key);
}

/** Appends content, in one call: a control that is named `append` hides the method of its form. */
export const append = (element: Element, ...content: Content[]): void =>
  element.append(...(content.filter(Boolean) as (Node | string)[]));

/** Creates an element with attributes and content. Strings become text, never markup. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: Content[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) setAttribute(element, key, value);
  append(element, ...content);
  return element;
}

/** Creates a key that no other form or submission has; `randomUUID` requires https. */
export const createKey = (): string => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;

/** Creates an http(s) hyperlink that opens in a new tab, so that the page keeps the visitor's entries. */
export const outsideLink = (url: string, text: string, about = ''): HTMLAnchorElement =>
  h(
    'a',
    { href: /^https?:/i.test(url) && url, target: '_blank', rel: 'noopener noreferrer' },
    text,
    about && h('span', { class: 'fg-unseen' }, `: ${about}`),
  );

const TOKEN = /<(\/?)([a-z]\w*)((?:\s+[a-z][\w-]*="[^"<>]*")*)\s*\/?>|([^<>]+)/gi;
const ATTRIBUTE = /([a-z][\w-]*)="([^"]*)"/gi;
const ALLOWED_ELEMENT =
  /^(div|section|article|aside|main|header|footer|fieldset|figure|p|span|ul|ol|li|h[1-6]|hr|br)$/;
const ALLOWED_ATTRIBUTE = /^(class|id|role|title|lang|dir|aria-[a-z]+|data-[a-z0-9-]+)$/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' };

const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name: string) => ENTITIES[name]!);

/**
 * Builds the markup around a form (`html_wrapper`) from the elements and attributes that the
 * gateway allows. The browser's parser never gets the text, so no other markup can result.
 *
 * @returns the fragment to insert, and the element to hold the form: the first empty one, else the first.
 */
export function buildWrapper(markup: string): { root: DocumentFragment; slot: Node } {
  const root = document.createDocumentFragment();
  let open: Element | DocumentFragment = root;
  for (const [, closing, written, attributes, text] of markup.matchAll(TOKEN)) {
    if (text !== undefined) {
      open.append(decoded(text));
      continue;
    }
    const name = written?.toLowerCase() ?? '';
    if (!ALLOWED_ELEMENT.test(name)) continue;
    if (closing) {
      // The fragment has no `closest`.
      open = (open as Partial<Element>).closest?.(name)?.parentElement ?? root;
      continue;
    }
    const element = h(name as 'div');
    for (const [, key = '', value = ''] of (attributes ?? '').matchAll(ATTRIBUTE)) {
      if (ALLOWED_ATTRIBUTE.test(key.toLowerCase())) element.setAttribute(key, decoded(value));
    }
    open.append(element);
    if (!/^[bh]r$/.test(name)) open = element;
  }
  const elements = [...root.querySelectorAll(':not(br,hr)')];
  const slot = elements.find((element) => !element.firstElementChild && !element.textContent?.trim());
  return { root, slot: slot ?? elements[0] ?? root };
}
