import { describe, expect, test } from '@jest/globals';
import { finish } from '../../../src/lib/steps.js';
import { scriptFinding } from '../../../src/probes/page.js';

const websiteId = '018f2b5e-7c1a-7000-8000-000000000001';
const other = '018f2b5e-7c1a-7000-8000-000000000002';
const publicUrl = 'https://forms.agency.test';
const pageUrl = new URL('https://www.acme.test/contact');

const findingOf = (html: string) => finish(scriptFinding(html, { websiteId, publicUrl, pageUrl }));

const SRC = `${publicUrl}/formgate.js`;

describe('a page loads the script with', () => {
  test.each([
    `<script src="${SRC}" data-website="${websiteId}" async></script>`,
    `<script async data-website='${websiteId}' src='${SRC}'></script>`,
    `<SCRIPT SRC=${SRC} DATA-WEBSITE=${websiteId.toUpperCase()}></SCRIPT>`,
    `<script\n  src="${SRC}?v=2"\n  data-website="${websiteId}"\n></script>`,
    `<!-- old --><script src="${SRC}" data-website="${websiteId}"></script><!-- new -->`,
    `<script src="${SRC}" data-website="${other}"></script><script src="${SRC}" data-website="${websiteId}"></script>`,
    `<script src="${SRC}" data-website="${websiteId}" data-forms="a"></script><script src="${SRC}" data-website="${websiteId}" data-forms="b"></script>`,
    `<script type="module">import { mount } from '${publicUrl}/formgate.mjs'; mount(x, { website: '${websiteId}' })</script>`,
  ])('%s', (html) => {
    expect(findingOf(html)).toBeNull();
  });
});

test.each([
  ['after 400 other scripts of that name', '<script src="/formgate.js"></script>'.repeat(400)],
  ['after 2,000 other scripts', '<script>x</script>'.repeat(2_000)],
  ['after tags that never end', '<script '.repeat(20)],
  ['after 5,000 comments', '<!-- -->'.repeat(5_000)],
  ['after a script in which a comment only seems to begin', "<script>if (x === '<!--') y()</script>"],
  ['after comments that end at once', '<!--><!--->'],
  ['after a comment that ends as some do', '<!-- --!>'],
])('a page loads the script %s', (_title, before) => {
  expect(findingOf(`${before}<script src="${SRC}" data-website="${websiteId}"></script>`)).toBeNull();
});

test('a tag of more than two thousand characters is not looked at', () => {
  const tag = `<script src="${SRC}" data-website="${websiteId}"`;
  expect(findingOf(`${tag}${' '.repeat(1_000)}></script>`)).toBeNull();
  expect(findingOf(`${tag}${' '.repeat(2_000)}></script>`)).toBe('page_without_script');
});

describe('a page', () => {
  test.each([
    ['', 'page_without_script'],
    ['<script src="/app.js"></script>', 'page_without_script'],
    [`<!-- <script src="${SRC}" data-website="${websiteId}"></script> -->`, 'page_without_script'],
    [`<!-- <script src="${SRC}" data-website="${websiteId}"></script>`, 'page_without_script'],
    [`<script data-src="${SRC}" data-website="${websiteId}"></script>`, 'page_without_script'],
    [`<script src="${SRC}" data-website="${websiteId}"`, 'page_without_script'],
    [`<script src="${SRC}" data-website="${other}"></script>`, 'page_other_website'],
    [`<script src="${SRC}"></script>`, 'page_other_website'],
    [`<script src="${SRC}" data-website=""></script>`, 'page_other_website'],
    [`<script src="/formgate.js" data-website="${websiteId}"></script>`, 'page_other_gateway'],
    [
      `<script src="https://forms.agency.test.evil.test/formgate.js" data-website="${websiteId}"></script>`,
      'page_other_gateway',
    ],
    [
      `<script>const src = "${SRC}"</script><script data-website="${websiteId}"></script>`,
      'page_without_script',
    ],
    [`<p>${websiteId}</p>`, 'page_without_script'],
  ])('%s is found to be a %s', (html, finding) => {
    expect(findingOf(html)).toBe(finding);
  });

  test.each([
    ['comments', '<!---->'.repeat(285_000)],
    ['comments that never end', '<!--'.repeat(500_000)],
    ['tags that never end', '<script '.repeat(250_000)],
    ['tags that end together', `${'<script '.repeat(250_000)}>`],
    ['tags of the script that end together', `${'<script x/formgate.js '.repeat(90_000)}>`],
    ['attributes without values', `<script ${'src '.repeat(480)}>`.repeat(1_000)],
    ['white space', `<script src${' '.repeat(1_900)}>`.repeat(1_000)],
    ['white space in tags of the script', `<script src${' '.repeat(1_900)} formgate.js>`.repeat(1_000)],
    ['quotes that never end', `<script ${'src="'.repeat(380)} formgate.js>`.repeat(1_000)],
  ])('of two megabytes of %s is read in less than half a second', (_title, html) => {
    const startedAt = performance.now();
    expect(findingOf(html)).toBe('page_without_script');
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});
