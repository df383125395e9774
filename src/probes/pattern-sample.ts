import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { compilePattern } from '../forms/definition/patterns.js';

/** Characters that a class is tried with: what people type, the most usual first. */
const CHARACTERS = [...'a1A0-_ .,:/@+éÉ2569bBzZ#!%&*()?=~|<>[]{}"\'\\^$`;'];

/** How often more than required a repeated part is written, one sample each. */
const REPETITIONS = [0, 1, 2, 4, 8, 16, 32, 64];

/** Bound of a sample's length, which no field of a form needs more of. */
const MAX_LENGTH = 1_000;

/** How to write a sample: how often more than required a part is repeated, and a character for a class. */
type Writing = Readonly<{ extra: number; characterOf(raw: string): string }>;

/**
 * Creates a function that finds a character of a class by trying, with the gateway's engine. It compiles each class
 * once.
 */
function createCharacterOf(): Writing['characterOf'] {
  const found = new Map<string, string>();
  return (raw) => {
    let character = found.get(raw);
    if (character === undefined) {
      const single = compilePattern(raw);
      character = CHARACTERS.find((each) => single.matches(each)) ?? '';
      found.set(raw, character);
    }
    return character;
  };
}

function sampleOf(node: AST.Node, writing: Writing): string {
  switch (node.type) {
    case 'Pattern':
    case 'CapturingGroup':
    case 'Group':
      return node.alternatives[0] ? sampleOf(node.alternatives[0], writing) : '';
    case 'Alternative':
      return node.elements
        .map((element) => sampleOf(element, writing))
        .join('')
        .slice(0, MAX_LENGTH);
    case 'Quantifier': {
      const once = sampleOf(node.element, writing);
      const enough = Math.ceil(MAX_LENGTH / (once.length || 1));
      const times = Math.min(node.max, node.min + writing.extra, enough);
      return once.repeat(times).slice(0, MAX_LENGTH);
    }
    case 'Character':
      return String.fromCodePoint(node.value);
    case 'CharacterClass':
    case 'CharacterSet':
    case 'ExpressionCharacterClass':
      return writing.characterOf(node.raw);
    default:
      // Assertions take no character; what the gateway's engine lacks is not enforced.
      return '';
  }
}

/**
 * Lists texts that an HTML `pattern` may match, short ones first. The caller checks each, since assertions and classes
 * that overlap are beyond a sample.
 *
 * @param pattern One that the gateway enforces, and so is each class in it.
 */
export function samplesOf(pattern: string): string[] {
  for (const flags of ['v', 'u']) {
    try {
      const unicode = { unicode: flags === 'u', unicodeSets: flags === 'v' };
      const parsed = new RegExpParser().parsePattern(pattern, 0, pattern.length, unicode);
      const characterOf = createCharacterOf();
      const samples = REPETITIONS.map((extra) => sampleOf(parsed, { extra, characterOf }));
      return [...new Set(samples)].filter(Boolean);
    } catch {
      // Not valid with this flag; one that is valid with neither is not enforced.
    }
  }
  return [];
}
