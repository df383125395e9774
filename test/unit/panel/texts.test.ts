import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import rooms from '../../../web/panel/texts/rooms.json' with { type: 'json' };

const PANEL = 'web/panel';
const LANGUAGES = ['en', 'fr'] as const;

type Texts = Record<string, string>;

const read = (language: string): Texts =>
  JSON.parse(readFileSync(`${PANEL}/texts/${language}.json`, 'utf8')) as Texts;

const texts = { en: read('en'), fr: read('fr') };

/** The source files of the panel, parsed. */
const sources = readdirSync(PANEL, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
  .map((name) => {
    const content = readFileSync(join(PANEL, name), 'utf8');
    const kind = name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    return { name, file: ts.createSourceFile(name, content, ts.ScriptTarget.Latest, true, kind) };
  });

/** Calls a function with a node and all below it. */
function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  node.forEachChild((child) => walk(child, visit));
}

/** The arguments of a text with their kinds, as in `count:plural`. */
function argumentsOf(text: string): string[] {
  const found = new Set<string>();
  const collect = (elements: ReturnType<typeof parse>): void => {
    for (const element of elements) {
      if (element.type === TYPE.literal || element.type === TYPE.pound) continue;
      found.add(`${element.value}:${TYPE[element.type]}`);
      if ('options' in element) for (const { value } of Object.values(element.options)) collect(value);
      if ('children' in element) collect(element.children);
    }
  };
  collect(parse(text));
  return [...found].sort();
}

/** Whether a `#` is printed as such: within a `plural`, but in a `select` that hides the number from it. */
function hasLiteralPound(elements: ReturnType<typeof parse>, isInPlural = false): boolean {
  return elements.some((element) => {
    if (element.type === TYPE.literal) return isInPlural && element.value.includes('#');
    if (!('options' in element))
      return 'children' in element && hasLiteralPound(element.children, isInPlural);
    const isWithin = isInPlural || element.type === TYPE.plural;
    return Object.values(element.options).some(({ value }) => hasLiteralPound(value, isWithin));
  });
}

describe('the catalogues', () => {
  test('have the same ids, in alphabetical order', () => {
    const ids = Object.keys(texts.en);
    expect(ids).toEqual([...ids].sort());
    for (const language of LANGUAGES) expect(Object.keys(texts[language])).toEqual(ids);
  });

  test.each(Object.keys(texts.en))('have texts for %s that are not empty and take the same values', (id) => {
    for (const language of LANGUAGES) expect(texts[language][id]!.trim()).not.toBe('');
    expect(argumentsOf(texts.fr[id]!)).toEqual(argumentsOf(texts.en[id]!));
  });

  test.each(LANGUAGES)('print no # in place of a number: %s', (language) => {
    const printing = Object.entries(texts[language]).filter(([, text]) => hasLiteralPound(parse(text)));
    expect(printing).toEqual([]);
  });

  test('keep French punctuation on the line of its word', () => {
    const breaking = Object.entries(texts.fr).filter(([, text]) => / [;:!?»]|« /.test(text));
    expect(breaking).toEqual([]);
  });

  test('have no text that no page uses', () => {
    const literals = new Set<string>();
    // As in `state.${state}`, which the compiler holds to ids that exist.
    const beginnings = new Set<string>();
    for (const { file } of sources)
      walk(file, (node) => {
        if (ts.isStringLiteralLike(node)) literals.add(node.text);
        if (ts.isTemplateHead(node) && /^\w.*\.$/.test(node.text)) beginnings.add(node.text);
      });
    const isUsed = (id: string) => literals.has(id) || [...beginnings].some((text) => id.startsWith(text));
    expect(Object.keys(texts.en).filter((id) => !isUsed(id))).toEqual([]);
  });
});

/** Parts whose texts stand in the room of every page that shows them. */
const SHARED = String.raw`parts\/(condition|recipients)\/`;

/** Parts that tell of webhooks, whose texts stand in the rooms of the pages that show them. */
const WEBHOOKS = String.raw`parts\/webhook\/`;

/** The faults that the gateway names, whose texts stand in the rooms of the pages that word them. */
const FAULTS = String.raw`parts\/form\/fault-sentences\.`;

/** The files of each room. */
const FILES: Record<keyof typeof rooms, RegExp> = {
  account: /^(pages\/account[./]|parts\/second-factor\/)/,
  attention: /^pages\/attention[./]/,
  audit: /^(pages\/audit[./]|parts\/audit\/)/,
  captcha: new RegExp(String.raw`^(pages\/website\/captcha[./]|parts\/incidents\/|${FAULTS})`),
  console: /^(pages\/captcha[./]|parts\/(incidents|statistics)\/)/,
  emptyInbox: /^pages\/inbox\/list\/no-leads\./,
  forms: new RegExp(String.raw`^(pages\/forms?[./]|form-preview\/|${SHARED}|${FAULTS})`),
  history: /^pages\/form\/history[./]/,
  inbox: new RegExp(String.raw`^(pages\/inbox[./]|erase-dialog\.|${SHARED}|${WEBHOOKS}|${FAULTS})`),
  install: /^pages\/website\/install[./]/,
  leadDialogs: /^pages\/inbox\/\w+\/((delete|forward|hold)-dialog|delete-leads)\./,
  outer: /^pages\/(email|invitation|reset)\./,
  people: /^pages\/people[./]/,
  placements: new RegExp(String.raw`^(pages\/website\/forms[./]|form-preview\/|${SHARED}|${FAULTS})`),
  privacy: new RegExp(String.raw`^(pages\/(privacy|consent|team\/privacy)[./]|erase-dialog\.|${WEBHOOKS})`),
  report: /^(pages\/statistics[./]|parts\/statistics\/)/,
  secondFactor: /^(pages\/login\/enrolment|pages\/account\/|parts\/second-factor\/)/,
  spamSettings: new RegExp(String.raw`^(pages\/team\/spam|${FAULTS})`),
  statistics: /^(pages\/website\/statistics[./]|parts\/statistics\/)/,
  teams: new RegExp(String.raw`^(pages\/(teams?|plans)[./]|parts\/audit\/|${WEBHOOKS})`),
  translations: /^pages\/form\/translations[./]/,
  websiteImport: /^pages\/websites\/import/,
  websites: /^(pages\/websites?[./]|parts\/(merge\/settings-conflict\.|website\/)|website-settings\/)/,
};

const roomNames = Object.keys(FILES) as (keyof typeof rooms)[];

const mayUse = (word: string, file: string): boolean =>
  roomNames.some((room) => rooms[room].includes(word) && FILES[room].test(file));

test.each(roomNames)('the texts of the room %s are used only in the rooms that have them', (room) => {
  const strangers = new Set<string>();
  for (const { name, file } of sources)
    walk(file, (node) => {
      if (!ts.isStringLiteralLike(node) && !ts.isTemplateHead(node)) return;
      const [word, more] = node.text.split('.');
      const isId = ts.isTemplateHead(node) ? more !== undefined : Object.hasOwn(texts.en, node.text);
      if (isId && rooms[room].includes(word!) && !mayUse(word!, name)) strangers.add(`${name}: ${node.text}`);
    });
  expect([...strangers]).toEqual([]);
});

/** Attributes that people read or hear. */
const SPOKEN = ['aria-label', 'alt', 'description', 'hint', 'label', 'placeholder', 'title'];

/** The name of the product, which no language translates. */
const NAMES = ['Formgate'];

test('no text stands outside the catalogues', () => {
  const found: string[] = [];
  for (const { name, file } of sources)
    walk(file, (node) => {
      const isSpoken =
        ts.isJsxText(node) ||
        (ts.isStringLiteral(node) &&
          ts.isJsxAttribute(node.parent) &&
          SPOKEN.includes(node.parent.name.getText()));
      const text = isSpoken ? node.text.trim() : '';
      if (/\p{L}/u.test(text) && !NAMES.includes(text)) found.push(`${name}: ${text}`);
    });
  expect(found).toEqual([]);
});
