import { describe, expect, test } from '@jest/globals';
import {
  isPlainStyle,
  isPlainWrapper,
  namesWebOnly,
} from '../../../src/forms/placements/placement-markup.js';

test('a comment without an end takes no longer than its length', () => {
  const before = process.cpuUsage();
  expect(namesWebOnly('/* '.repeat(100_000))).toBe(true);
  expect(namesWebOnly(`${'/* '.repeat(100_000)}url(x)`)).toBe(false);
  // Seconds where the end is looked for from each beginning; the bound is for a slow machine.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_000);
});

test.each([
  ['/**/url(x)', false],
  ['/*a*//*b*/u/**/rl(x)', false],
  ['/*/ url(x)', false],
  ['/*/*/url(x) /* url(x)', false],
  ['/* url(x) */', false],
  ['ur/* */l', true],
  ['/* a */ b /* c', true],
])('%j with comments names the web only: %s', (text, isPlain) => {
  expect(namesWebOnly(text)).toBe(isPlain);
});

/** CSS that names something that is no http or https address, or hides that it does. */
const HOSTILE_STYLES = [
  'url(javascript:1)',
  'url(data:text/html,x)',
  'url(//evil.test/x)',
  'url(/x)',
  'url(x.png)',
  'url()',
  'url("")',
  'url("javascript:1")',
  "url('data:image/svg+xml,x')",
  'URL(javascript:1)',
  'Url( "//evil.test" )',
  'url(\tjavascript:1)',
  'url(\n"data:,x")',
  'url(https://x.test/a',
  'url("https://x.test/a',
  'url("https://x.test/a"',
  'url("https://x.test/a)',
  'url(https://x.test/a b)',
  'url(https://x.test/a"b)',
  'url(https://x.test/a(b)',
  'url(https://)',
  'url(https:x)',
  'url(https:/x)',
  'url(http//x.test)',
  'url(ftp://x.test/a)',
  'url(file:///etc/passwd)',
  'url(blob:https://x.test/1)',
  'url(https://x.test/a), url(javascript:1)',
  'url("https://x.test/a" url(x))',
  'url(var(--x))',
  'u\\72l(x)',
  '\\75rl(javascript:1)',
  '\\000075 rl(https://x.test)',
  'ur/**/l(javascript:1)',
  'url(/**/javascript:1)',
  'url/**/(x)',
  '/*url(https://x.test*/',
  '"url(https://x.test)" url(x)',
  '"https://x.test" url(x',
  'src(javascript:1)',
  'src("data:,x")',
  'src("/x")',
  'SRC(x)',
  'src(var(--x))',
  'image-set("a.png" 1x)',
  'image-set("https://x.test/a.png" 1x, "//evil.test/b.png" 2x)',
  "image-set('javascript:1' 1x)",
  'image-set(url(x) 1x)',
  '-webkit-image-set(url(data:,x) 1x)',
  'IMAGE-SET("x" 1x)',
  'image-set("https://x.test/a.png" 1x',
  'image("x.png")',
  '"javascript:1"',
  '"//evil.test/x"',
  'javascript:1',
  'java\nscript:1',
  'data:text/html,x',
  '//evil.test/x',
  'expression(alert(1))',
  'EXPRESSION (alert(1))',
  '@import "https://x.test/a.css"',
  '@import url(https://x.test/a.css)',
  '-moz-binding:url(https://x.test/a.xml#b)',
  'behavior:url(https://x.test/a.htc)',
  'progid:DXImageTransform.Microsoft.Alpha()',
];

/** What leaves its declaration. */
const BROKEN_STYLES = [
  'red; background: red',
  '}body{',
  '<b>',
  '"open',
  "'open",
  'rgb(1 2 3',
  'red)',
  '"a" \'',
];

describe('values of style properties', () => {
  test.each([...HOSTILE_STYLES, ...BROKEN_STYLES])('%j is refused', (value) => {
    expect(isPlainStyle(value)).toBe(false);
  });

  test.each([
    '#0a7c66',
    '1px solid rgb(1 2 3 / 50%)',
    'calc((1rem + 2px) * 3) !important',
    'light-dark(#fff, color-mix(in srgb, red 10%, blue))',
    `"Helvetica Neue", 'Arial', sans-serif`,
    '16px/1.5 "Source Sans"',
    'url(https://x.test/a.png)',
    'URL( "http://x.test/a b (1).png" ) no-repeat',
    "url('https://x.test/a.png?b=c&d=@e'), linear-gradient(red, blue)",
    'src("https://x.test/a.png")',
    'image-set("https://x.test/a.png" 1x, url(https://x.test/b.png) 2x)',
    'curl, source, image, url',
    '',
  ])('%j is plain', (value) => expect(isPlainStyle(value)).toBe(true));
});

describe('markup around a form', () => {
  test.each([
    '<div class="box"></div>',
    '<section id="a" aria-label="Contact" data-x="1"><h2>Contact: us &amp; you</h2><div></div></section>',
    '<p data-image="https://x.test/a.png" data-style="background:url(https://x.test/a.png)"></p>',
    '<p>Votre URL (facultatif) // image (1) : vos data: ici</p>',
    'plain text',
  ])('%s is plain', (html) => expect(isPlainWrapper(html)).toBe(true));

  test.each([
    '<a href="javascript:alert(1)">x</a>',
    '<img src="data:x" onerror="a()">',
    '<div onclick="a()"></div>',
    '<div class="x"onclick="a()"></div>',
    '<div style="background:url(javascript:1)"></div>',
    '<script>a()</script>',
    '<div class="',
    '<!-- x -->',
    '<svg><script>a()</script></svg>',
    '<p data-href="javascript:alert(1)"></p>',
    '<p data-href="JAVA&#x53;CRIPT&colon;alert(1)"></p>',
    '<p data-href="java\tscript:alert(1)"></p>',
    '<p data-href="java&Tab;script:alert(1)"></p>',
    '<p data-src="//evil.test/x"></p>',
    '<p data-src=" \\\\evil.test/x"></p>',
    '<p data-src="data:text/html;base64,eA=="></p>',
    '<p data-style="background:url(//evil.test)"></p>',
    '<p data-style="background:\\75rl(x)"></p>',
    '<p data-style="background:u/**/rl(x)"></p>',
    '<p data-style="background:url(https://x.test"></p>',
    '<p data-style="behavior:x"></p>',
    '<p>@import "x"</p>',
  ])('%s is refused', (html) => expect(isPlainWrapper(html)).toBe(false));

  test('a long hostile text is checked in linear time', () => {
    expect(isPlainWrapper(`${'<div class="a"'.repeat(700)}<`)).toBe(false);
    for (const part of ['url(', ' ', '\t', 'url( ', '/*', '\\', '&#', '"', 'url("']) {
      const startedAt = performance.now();
      isPlainWrapper(`url(${part.repeat(10_000 / part.length)}`);
      isPlainStyle(`url(${part.repeat(10_000 / part.length)}`);
      expect(performance.now() - startedAt).toBeLessThan(200);
    }
  });
});

describe('selectors', () => {
  test.each([
    '#contact',
    'main > .md\\:flex ~ [data-x="a; b"]::before',
    '[href^="https://x.test"]',
    '#\\31 23',
    '[style*="url(https://x.test/a.png)"]',
  ])('%s names no address, or one of the web', (selector) => expect(namesWebOnly(selector)).toBe(true));

  test.each([
    '[href="javascript:alert(1)"]',
    '[src="//evil.test"]',
    '[style="background:url(data:,x)"]',
    '[style="\\75 rl(x)"]',
    'a{background:url(x)}',
    'a, @import url(//x)',
  ])('%s is refused', (selector) => expect(namesWebOnly(selector)).toBe(false));
});
