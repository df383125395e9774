import { describe, expect, test } from '@jest/globals';
import { isPlainStyle, isPlainWrapper } from '../../../src/forms/link-markup.js';

describe('markup around a form', () => {
  test.each([
    '<div class="box"></div>',
    '<section id="a" aria-label="Contact" data-x="1"><h2>Contact</h2><div></div></section>',
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
  ])('%s is not', (html) => expect(isPlainWrapper(html)).toBe(false));

  test('a long hostile text is judged at once', () => {
    expect(isPlainWrapper(`${'<div class="a"'.repeat(700)}<`)).toBe(false);
  });
});

describe('values of style properties', () => {
  test.each([
    '#0a7c66',
    '1px solid rgb(1 2 3)',
    'url(https://x.test/a.png)',
    'url("http://x.test/a.png")',
    '',
  ])('%s is plain', (value) => expect(isPlainStyle(value)).toBe(true));

  test.each([
    'url(javascript:1)',
    'url(data:text/html,x)',
    'red; background: url(x)',
    '}body{',
    'url(/x)',
    'u\\72l(x)',
  ])('%s is not', (value) => expect(isPlainStyle(value)).toBe(false));
});
