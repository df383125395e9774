import { expect, test } from '@jest/globals';
import { refreshOf } from '../../../src/probes/page-refresh.js';

const pageUrl = new URL('https://www.acme.test/start?x=1');
const refresh = (content: string) => refreshOf(`<meta http-equiv="refresh" content="${content}">`, pageUrl);

test.each([
  ['0;url=/fr/', 'https://www.acme.test/fr/'],
  ['0; URL = fr/contact', 'https://www.acme.test/fr/contact'],
  ["1.5,url='//www.other.test/a b'", 'https://www.other.test/a%20b'],
  ['5 /fr/', 'https://www.acme.test/fr/'],
  ['0;url=/fr/?a=1&amp;b=2', 'https://www.acme.test/fr/?a=1&b=2'],
  ['6;url=/fr/', null],
  ['30', null],
  ['0;url=#top', null],
  ['0;url=/start?x=1', null],
  ['0;url=javascript:alert(1)', null],
  ['0;url=http://[', null],
  ['url=/fr/', null],
  ['', null],
])('a refresh of %j leads to %j', (content, address) => {
  expect(refresh(content)).toBe(address);
});

test.each([
  '<!-- <meta http-equiv="refresh" content="0;url=/fr/"> -->',
  '<noscript><meta http-equiv="refresh" content="0;url=/fr/"></noscript>',
  '<script>const page = `<meta http-equiv="refresh" content="0;url=/fr/">`</script>',
  '<meta http-equiv="content-language" content="0;url=/fr/">',
  '<p title="http-equiv" content="0;url=/fr/">',
])('%s leads nowhere', (html) => {
  expect(refreshOf(html, pageUrl)).toBeNull();
});

test.each([
  ['comments that never end', '<!--'.repeat(500_000)],
  ['elements that never end', '<noscript '.repeat(200_000)],
  ['elements of which each ends', '<noscript></noscript>'.repeat(95_000)],
  ['tags of a refresh', '<meta http-equiv="content-type" content="0">'.repeat(45_000)],
  ['white space', `<meta http-equiv${' '.repeat(1_900)}>`.repeat(1_000)],
  ['white space in the content', `<meta http-equiv=refresh content="0${' '.repeat(1_900)}">`.repeat(1_000)],
  ['numbers', `<meta http-equiv=refresh content="${'0'.repeat(1_900)}">`.repeat(1_000)],
])('two megabytes of %s are read in less than half a second', (_title, html) => {
  const startedAt = performance.now();
  expect(refreshOf(`${html}<meta http-equiv`, pageUrl)).toBeNull();
  expect(performance.now() - startedAt).toBeLessThan(500);
});
