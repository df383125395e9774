import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  type Answers,
  field,
  form,
  forms,
  GATEWAY,
  pageOpener,
  place,
  TAG,
} from '../support/stand-in-gateway.js';

/* Pages that put a copy of their content back, as snapshots of routers do, in which the script runs again. */

const open = pageOpener();

/** Opens a page, puts a copy of it in its place once its form shows, and waits for the form in that. */
async function openCopy(body: string, answers: Answers, attribute = '') {
  const result = await open(body, answers);
  const { page } = result;
  await page.locator('[name=a]').waitFor();
  await page.evaluate(`(() => {
    window.former = document.querySelector('form');
    document.body.replaceWith(document.body.cloneNode(true));
    window.copies = [...document.querySelectorAll('form')];
    const script = document.createElement('script');
    Object.assign(script, { src: '${GATEWAY}/formgate.js' }).dataset.website = 'w';
    ${attribute}
    document.body.append(script);
  })()`);
  await page.waitForFunction(`copies.every((copy) => !copy.isConnected) && document.querySelector('form')`);
  return result;
}

async function send(page: Page): Promise<void> {
  await page.locator('[name=a]').fill('x');
  await page.locator('.fg-submit').click();
  await page.getByText('Thanks.').waitFor();
}

test.each([
  ['alone', null, 1],
  ['in a wrapper', '<section><div></div></section>', 1],
  ['behind its heading', '<h2>Write to us</h2><div></div>', 2],
])('a copy of a form %s makes way for one that sends', async (_case, wrapper, children) => {
  const wrapped = form('one', [field('a')], { html_wrapper: wrapper });
  const { page, sent } = await openCopy(place('one') + TAG, forms(wrapped));
  expect(await page.locator('[data-formgate] > *').count()).toBe(children);
  await send(page);
  expect(sent).toHaveLength(1);
  expect(page.url()).toBe('https://site.test/');
});

test('a copy of a form that its placement puts into the page makes way for one that sends', async () => {
  const placed = form('one', [field('a')], { css_selector: 'main' });
  const tag = TAG.replace('data-website', 'data-forms="one" data-website');
  const { page, sent } = await openCopy(
    `<main><p>Text</p></main>${tag}`,
    forms(placed),
    `script.dataset.forms = 'one';`,
  );
  expect(await page.locator('main > *').count()).toBe(2);
  await send(page);
  expect(sent).toHaveLength(1);
});

test('what an element for a form holds stays, also where it holds the element of another form', async () => {
  const inner = `<section><p>Text</p>${place('one')}</section>`;
  const outer = form('two', [field('b')]);
  const body = `<main data-formgate="two">${inner}</main>${TAG}`;
  const { page, sent } = await openCopy(body, forms(form('one', [field('a')]), outer));
  await page.locator('[name=b]').waitFor();
  expect(await page.locator('form').count()).toBe(2);
  expect(await page.getByText('Text').count()).toBe(1);
  await page.locator('section [name=a]').fill('x');
  await page.locator('section .fg-submit').click();
  await page.getByText('Thanks.').waitFor();
  expect(sent).toHaveLength(1);
});
