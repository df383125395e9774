import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { renderSubmissionEmail } from '../../src/notifications/submission-email/submission-email.template.js';
import { renderTokenNotice } from '../../src/notifications/token-notice/token-notice.template.js';
import { renderSpamDigest } from '../../src/submissions/spam-digest/spam-digest.template.js';
import { launchBrowser } from '../support/browser.js';
import { picture } from '../support/panel-pages.js';

/* E-mails with the longest words, in windows as narrow as a telephone's and in a mail program that keeps few styles. */

const WORD = 'Donaudampfschiff'.repeat(13).slice(0, 200);
const LABEL = 'Kraftfahrzeughaftpflichtversicherungsnummer'.repeat(2).slice(0, 60);
const URL_OF_300 = `https://www.acme.test/${'a-long-path/'.repeat(30)}`.slice(0, 300);
const ADDRESS = `${'ada.lovelace.'.repeat(4)}x@${'visitors.'.repeat(6)}test`;
const ARABIC = 'مرحبا، أريد عرض سعر (2026)!';
const createdAt = new Date('2026-11-24T06:30:00Z');

const EMAILS = {
  'a lead': renderSubmissionEmail({
    leadId: '0198c2a4-7c1a-7000-8000-000000000001',
    createdAt,
    website: { name: WORD, host: `${'a'.repeat(60)}.${'b'.repeat(60)}.test`, locale: 'en', timeZone: 'UTC' },
    form: { name: WORD },
    fields: [
      { label: LABEL, type: 'text', value: WORD },
      { label: 'Address', type: 'email', value: ADDRESS },
      { label: 'Website', type: 'url', value: URL_OF_300 },
      { label: 'الاسم', type: 'text', value: ARABIC },
      { label: 'Message', type: 'textarea', value: `Hello\n${ARABIC}\n${WORD}` },
    ],
    undeclared: { [LABEL]: { [WORD]: WORD } },
    page: { url: URL_OF_300, title: WORD },
    attribution: { referrer: URL_OF_300, utm_source: WORD },
    needsReview: true,
    recipients: ['desk@acme.test'],
  }),
  'a digest of spam': renderSpamDigest({
    key: { teamId: 4, week: '2026-11-16', userId: 5 },
    createdAt,
    since: createdAt,
    until: createdAt,
    teamName: WORD,
    locale: 'en',
    recipient: 'anna@agency.test',
    total: 2,
    newest: [{ sender: WORD, form: WORD, website: ARABIC, createdAt, timeZone: 'UTC', reasons: [] }],
    panelUrl: URL_OF_300,
  }),
  'a notice': renderTokenNotice({
    key: { tokenId: 7, reason: 'unused' },
    createdAt,
    teamName: WORD,
    tokenName: LABEL,
    lastUsedAt: null,
    expiresAt: createdAt,
    locale: 'en',
    url: URL_OF_300,
    recipient: 'anna@agency.test',
  }),
};

/** What some mail programs leave of a message: no style of cells that wraps or lays out. */
const withoutCellStyles = (html: string): string =>
  html.replaceAll(/<(?:table|t[hd])\b[^>]*>/g, (tag) =>
    tag.replaceAll(/(?:overflow-wrap|word-break|table-layout|white-space):[^;"]*;?/g, ''),
  );

type Measures = Readonly<{ scrollWidth: number; innerWidth: number; cut: string[]; widestLabel: number }>;

const MEASURE = `(() => {
  const isOut = ({ left, right }) => left < 0 || right > innerWidth;
  const rectsOf = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return [...range.getClientRects()];
  };
  const widths = [...document.querySelectorAll('th')].map(
    (label) => label.offsetWidth / label.closest('table').offsetWidth,
  );
  return {
    scrollWidth: document.documentElement.scrollWidth,
    innerWidth,
    cut: [...document.body.querySelectorAll('*')]
      .filter((element) => rectsOf(element).some(isOut))
      .map(({ outerHTML }) => outerHTML.slice(0, 80)),
    widestLabel: Math.max(...widths),
  };
})()`;

/** A line goes from right to left when its first character is further right than its last one. */
const DIRECTIONS = `(() => {
  const value = [...document.querySelectorAll('td, td *')].find(({ firstChild }) => firstChild?.data === 'Hello');
  const texts = [...value.childNodes].filter(({ data }) => data);
  return texts.map((text) => {
    const range = document.createRange();
    const leftOf = (offset) => {
      range.setStart(text, offset);
      range.setEnd(text, offset + 1);
      return range.getBoundingClientRect().left;
    };
    return leftOf(0) < leftOf(text.length - 1) ? 'ltr' : 'rtl';
  });
})()`;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

async function opened(html: string, width: number) {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  await page.setContent(html);
  return page;
}

describe.each([360, 800])('at %i pixels', (width) => {
  describe.each(Object.entries(EMAILS))('%s', (name, { html }) => {
    test.each([
      ['as sent', html!],
      ['without styles of cells', withoutCellStyles(html!)],
    ])('fits %s, and nothing is cut', async (variant, given) => {
      const page = await opened(given, width);
      await picture({ page }, `e-mail-${name}-${variant}-${width}`.replaceAll(' ', '-'));
      const { scrollWidth, innerWidth, cut, widestLabel } = await page.evaluate<Measures>(MEASURE);
      expect(scrollWidth).toBeLessThanOrEqual(innerWidth);
      expect(cut).toEqual([]);
      expect(widestLabel).toBeLessThanOrEqual(0.36);
      await page.close();
    });
  });
});

test('each line of a value has the direction of its own first letter', async () => {
  const page = await opened(EMAILS['a lead'].html!, 800);
  const [latin, arabic] = await page.evaluate<string[]>(DIRECTIONS);
  expect([latin, arabic]).toEqual(['ltr', 'rtl']);
  await page.close();
});
