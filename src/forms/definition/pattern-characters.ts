import type { AST } from '@eslint-community/regexpp';
import { RE2JS } from 're2js';

/** The gateway does not support a pattern. The message is a sentence for the pattern's author. */
export class PatternRefusal extends Error {}

type Range = readonly [from: number, to: number];

const LAST_CHARACTER = 0x10ffff;
const DIGITS: readonly Range[] = [[0x30, 0x39]];
const WORD: readonly Range[] = [...DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const LINE_ENDS: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
/** JavaScript's white space and line terminators; RE2's `\s` has only five of them. */
const SPACES: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const ESCAPES = { digit: DIGITS, space: SPACES, word: WORD };

/** Writes a character by its number, unless it is a plain letter or digit. */
export function character(point: number): string {
  const text = String.fromCodePoint(point);
  return /[0-9A-Za-z]/.test(text) ? text : `\\x{${point.toString(16)}}`;
}

const range = (from: number, to: number): string =>
  from === to ? character(from) : `${character(from)}-${character(to)}`;

const written = (ranges: readonly Range[]): string => ranges.map(([from, to]) => range(from, to)).join('');

function complement(ranges: readonly Range[]): Range[] {
  const befores = [-1, ...ranges.map(([, to]) => to)];
  const afters = [...ranges.map(([from]) => from), LAST_CHARACTER + 1];
  const gaps = befores.map((before, index): Range => [before + 1, afters[index]! - 1]);
  return gaps.filter(([from, to]) => from <= to);
}

/** Cache of whether RE2 supports a property, by name; some hundred names bound it. */
const knownProperties = new Map<string, boolean>();

function isKnownProperty(name: string): boolean {
  const known = knownProperties.get(name);
  if (known !== undefined) return known;
  try {
    RE2JS.compile(`\\p{${name}}`);
    knownProperties.set(name, true);
  } catch {
    knownProperties.set(name, false);
  }
  return knownProperties.get(name)!;
}

/** Throws a `PatternRefusal` for a part of a pattern, quoting its beginning. */
export function refuse(what: string, { raw }: AST.Node): never {
  const excerpt = raw.length > 40 ? `${raw.slice(0, 40)}…` : raw;
  throw new PatternRefusal(`A pattern cannot hold ${what}: ${excerpt}`);
}

function property(node: AST.UnicodePropertyCharacterSet): string {
  if (node.strings) refuse('a property of whole texts', node);
  const { key, value, negate } = node;
  const isOfExtensions = key === 'Script_Extensions' || key === 'scx';
  const name = value ?? key;
  if (isOfExtensions || !isKnownProperty(name)) {
    refuse('this property, only short categories such as \\p{L} and scripts such as \\p{Script=Greek}', node);
  }
  return `\\${negate ? 'P' : 'p'}{${name}}`;
}

/** Writes a set of characters as the content of a bracketed class. A class cannot contain "any". */
export function characterSet(node: AST.CharacterSet): string {
  if (node.kind === 'any') return `^${written(LINE_ENDS)}`;
  if (node.kind === 'property') return property(node);
  return written(node.negate ? complement(ESCAPES[node.kind]) : ESCAPES[node.kind]);
}

function classElement(node: AST.CharacterClass['elements'][number]): string {
  switch (node.type) {
    case 'Character':
      return character(node.value);
    case 'CharacterClassRange':
      return range(node.min.value, node.max.value);
    case 'CharacterSet':
      return characterSet(node);
    case 'ClassStringDisjunction':
      return refuse('whole texts in a class', node);
    default:
      return refuse('a class inside a class', node);
  }
}

/** Writes a character class with its brackets. */
export function characterClass({ negate, elements }: AST.CharacterClass): string {
  if (elements.length > 0) return `[${negate ? '^' : ''}${elements.map(classElement).join('')}]`;
  return `[${negate ? '' : '^'}${written([[0, LAST_CHARACTER]])}]`;
}
