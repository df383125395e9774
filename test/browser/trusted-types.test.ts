import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  type Answers,
  field,
  form,
  forms,
  GATEWAY,
  pageOpener,
  place,
  proofOfWork,
  TAG,
} from '../support/stand-in-gateway.js';

const open = pageOpener();

const one = form('one', [field('a')]);
const NOT_HERE = 'This form is not available here at the moment.';

/** Opens a page whose only form asks for a proof of work, and sends it. */
async function send(head: string): Promise<Page> {
  const answers: Answers = { ...forms(one), ...proofOfWork() };
  const { page } = await open(head + place('one') + TAG, answers);
  await page.locator('[name=a]').fill('x');
  await page.locator('.fg-submit').click();
  return page;
}

const policyOf = (names: string) =>
  `<meta http-equiv="Content-Security-Policy" content="require-trusted-types-for 'script'${names}">`;

describe('a page that requires trusted types', () => {
  test('without a policy for the gateway has no widget, so that the form is not available', async () => {
    const page = await send(policyOf(''));
    await page.locator('.fg-alert p').waitFor();
    expect(await page.locator('.fg-alert').textContent()).toBe(NOT_HERE);
  });

  test.each([
    ['', ''],
    [' under the names of the guide', "; trusted-types default svelte-trusted-html 'allow-duplicates'"],
  ])('sends a form with the default policy of the guide%s', async (_case, names) => {
    const guide = readFileSync(new URL('../../docs/browser-script.md', import.meta.url), 'utf8');
    const policy = /trustedTypes\.createPolicy.*?\n\}\);/s
      .exec(guide)![0]
      .replace('https://forms.agency.example', GATEWAY);
    expect(guide).toContain(names.slice(2));
    const page = await send(`${policyOf(names)}<script>${policy}</script>`);
    await page.getByText('Thanks.').waitFor();
  });
});
