// Patterns that once cost an engine its time, or mean something else to RE2 than to browsers. Each is saved, or
// refused with a sentence that holds `refusal`.
const times = (count, textOf) => Array.from({ length: count }, (_, index) => textOf(index)).join('');

const TOO_LARGE = 'This pattern is too large';
const INVALID = 'This is not a valid regular expression.';

/** Texts that make a backtracking engine try everything, for every pattern that is saved. */
export const TEXTS = [
  'a'.repeat(10_000),
  `${'a'.repeat(9_999)}!`,
  'ab'.repeat(5_000),
  '1'.repeat(9_999),
  `${' '.repeat(9_998)}!`,
  'x=x,'.repeat(2_500),
  'é漢😀'.repeat(2_500),
];

export const PATTERNS = [
  // Exponential in a browser, linear here.
  '(a+)+',
  '(a*)*b',
  '(.*)*',
  '(a|a)*',
  '(?:.|[^a])+z',
  '(a|b|ab)*',
  '(\\w+\\s?)*',
  '(x+x+)+y',
  '(?:\\p{L}+\\s*)+',
  '([a-z]+[0-9]*)+',
  '(?:a{2,3}){2,50}b',
  '(?:a{9,10})*',
  '(a?){50}',
  '(?:a?){30}a{30}',
  '(a|a)'.repeat(30),
  'a?'.repeat(40) + 'a'.repeat(40),
  '(?:a|aa|aaa|aaaa)*b',
  '(([a-z])+.)+[A-Z]([a-z])+$',
  // Polynomial in a browser.
  'a*a*a*b',
  '\\d+\\d+\\d+\\d+\\d+',
  '\\s*\\s*\\s*\\s*x',
  '.*.*=.*',
  '.*,.*,.*,.*,.*,',
  'a*'.repeat(500),
  '.*'.repeat(480),
  '(?:.*a|b)?'.repeat(90),
  '(?:\\b|a|\\B)*'.repeat(60),
  '(?:|||||a)*'.repeat(50),
  // Large.
  'a'.repeat(1_000),
  '('.repeat(500) + ')'.repeat(500),
  `${'(?:'.repeat(160)}a${')*'.repeat(160)}`,
  '.{0,499}',
  '[^]{1,400}',
  '[a-z]'.repeat(200),
  `${'\\p{L}\\p{N}'.repeat(25)}!`,
  times(180, (index) => `${index ? '|' : ''}a${String.fromCodePoint(0x4e00 + index)}`),
  times(150, (index) => `${index ? '|' : ''}x*y${index % 10}`),
]
  .map((pattern) => ({ pattern }))
  .concat([
    { pattern: 'a'.repeat(1_001), refusal: 'must be at most 1000 characters' },
    { pattern: '(?:(?:(?:(?:(?:a{9}){9}){9}){9}){9}){9}', refusal: TOO_LARGE },
    { pattern: '(a{1,100}){1,100}', refusal: TOO_LARGE },
    { pattern: '(?:(?:ab?c?){10}){10}'.repeat(5), refusal: TOO_LARGE },
    { pattern: '\\p{L}{1,999}', refusal: TOO_LARGE },
    { pattern: '\\p{L}'.repeat(200), refusal: TOO_LARGE },
    { pattern: `[${'\\p{L}\\p{N}'.repeat(90)}]`, refusal: TOO_LARGE },
    { pattern: '(?:){999999999}', refusal: 'a repetition beyond 1,000 times: (?:){999999999}' },
    { pattern: 'a{0,2000}', refusal: 'a repetition beyond 1,000 times: a{0,2000}' },
    { pattern: '(?=.*\\d)(?=.*[a-z]).{8,}', refusal: 'a look-ahead: (?=.*\\d)' },
    { pattern: '(?=(a+)+b)'.repeat(100), refusal: 'a look-ahead: (?=(a+)+b)' },
    { pattern: 'x(?!(a|a)*b)', refusal: 'a look-ahead: (?!(a|a)*b)' },
    { pattern: '(?<!(a+)+b)a*', refusal: 'a look-behind: (?<!(a+)+b)' },
    { pattern: '(?<=a)b', refusal: 'a look-behind: (?<=a)' },
    { pattern: '(a+)\\1+', refusal: 'a reference back to a group: \\1' },
    { pattern: '(?<x>a)\\k<x>', refusal: 'a reference back to a group: \\k<x>' },
    { pattern: '[\\p{L}--[a-z]]+', refusal: 'a subtraction of classes: [\\p{L}--[a-z]]' },
    { pattern: '[\\w&&\\d]', refusal: 'an intersection of classes: [\\w&&\\d]' },
    { pattern: '[[a-z][0-9]]', refusal: 'a class inside a class: [a-z]' },
    { pattern: '['.repeat(500) + ']'.repeat(500), refusal: 'a class inside a class' },
    { pattern: '[\\q{ab|a}]*', refusal: 'whole texts in a class: \\q{ab|a}' },
    { pattern: '\\p{RGI_Emoji}'.repeat(50), refusal: 'a property of whole texts: \\p{RGI_Emoji}' },
    { pattern: '\\p{scx=Greek}', refusal: 'this property' },
    { pattern: '\\p{Letter}', refusal: 'this property' },
    { pattern: '(', refusal: INVALID },
    { pattern: 'a)|(b', refusal: INVALID },
    { pattern: '\\p{Nothing}', refusal: INVALID },
    { pattern: 'a**', refusal: INVALID },
    { pattern: '\\', refusal: INVALID },
  ]);
