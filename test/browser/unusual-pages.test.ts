import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  DEFAULTS,
  field,
  form,
  forms,
  GATEWAY,
  pageOpener,
  place,
  proofOfWork,
  type Reply,
  TAG,
  WIDGET,
} from '../support/stand-in-gateway.js';
import { eventually } from '../support/wait.js';

/* The script on pages that bring scripts, policies and caches of their own, and in browsers as old as the guide promises. */

const open = pageOpener();

const one = form('one', [field('a')]);
const AWAY = 'No answer yet. It will be sent again shortly.';
const NOT_HERE = 'This form is not available here at the moment.';

async function send(page: Page, value = 'x') {
  await page.locator('[name=a]').fill(value);
  await page.locator('.fg-submit').click();
}

/** Counts the requests whose address has such an end. */
const count = (asked: readonly string[], end: string) => asked.filter((url) => url.endsWith(end)).length;

describe('a page with a proof-of-work widget of its own', () => {
  /** As its first two versions define themselves: without asking whether the name is free, and other in all. */
  const OTHER = `customElements.define('altcha-widget', class extends HTMLElement {
    constructor() { super(); window.made = (window.made ?? 0) + 1; }
  })`;

  test('can send a form that asks for a proof of work', async () => {
    const body = `<script>${OTHER}</script><form><altcha-widget></altcha-widget></form>${place('one')}${TAG}`;
    const { page, complaints } = await open(body, { ...forms(one), ...proofOfWork() });
    await send(page);
    await page.getByText('Thanks.').waitFor();
    expect(await page.evaluate('made')).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('of the same version keeps its defaults to itself', async () => {
    const own = `<script src="${GATEWAY}/api/captcha/altcha.js"></script>
      <script>$altcha.defaults.set({ verifyUrl: '/verify' })</script>`;
    const { page, asked } = await open(own + place('one') + TAG, { ...forms(one), ...proofOfWork() });
    await send(page);
    await page.getByText('Thanks.').waitFor();
    expect(count(asked, '/verify')).toBe(0);
    expect(await page.evaluate(`customElements.get('altcha-widget') !== undefined`)).toBe(true);
  });

  test('can define it after a form was sent', async () => {
    const { page } = await open(place('one') + TAG, { ...forms(one), ...proofOfWork() });
    await send(page);
    await page.getByText('Thanks.').waitFor();
    await page.evaluate(OTHER);
    expect(await page.evaluate(`document.createElement('altcha-widget'), made`)).toBe(1);
  });
});

test('a browser without URL.canParse, as of spring 2023, checks a web address and sends it', async () => {
  const { page, sent } = await open(place('one') + TAG, forms(form('one', [field('a', { type: 'url' })])), {
    init: 'delete URL.canParse',
  });
  await send(page, 'https://[');
  await page.getByText('Please enter a complete web address').waitFor();
  await send(page, 'https://acme.test/');
  await page.getByText('Thanks.').waitFor();
  expect(sent).toHaveLength(1);
});

test('a fault of the page in the middle of a submission is told to the visitor, who can send it again', async () => {
  const { page, complaints } = await open(place('one') + TAG, forms(one));
  await page.locator('[name=a]').waitFor();
  await page.evaluate(`crypto.randomUUID = () => {
    delete crypto.randomUUID;
    throw new Error('not today');
  }`);
  await send(page);
  await page.getByText(NOT_HERE).waitFor();
  expect(complaints).toEqual([expect.stringMatching(/^Formgate: .*not today/)]);
  await page.locator('.fg-submit').click();
  await page.getByText('Thanks.').waitFor();
});

test('a page whose own reCAPTCHA has another key sends the next proof of work', async () => {
  const own = `<script>window.grecaptcha = {
    ready: (callback) => callback(),
    execute(key) { throw new Error('Invalid site key or not loaded in api.js: ' + key); },
  }</script>`;
  const step = { key: 'recaptcha_v3:m', type: 'recaptcha_v3', site_key: 'ours' };
  const { page } = await open(own + place('one') + TAG, { ...forms(one), ...proofOfWork(step) });
  const submission = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/submit'),
  );
  await send(page);
  await page.getByText('Thanks.').waitFor();
  expect((await submission).headers()['x-captcha-provider']).toBe('altcha');
});

test('a clock that is set back by hours delays no repetition', async () => {
  const replies: Reply[] = [
    { status: 503, json: {} },
    { status: 503, json: {} },
  ];
  const { page, sent } = await open(
    place('one') + TAG,
    { ...forms(one), submit: () => replies.shift() ?? DEFAULTS.submit },
    { init: `const now = Date.now; window.aheadMs = 7_200_000; Date.now = () => now() + aheadMs` },
  );
  await send(page);
  await page.getByText(AWAY).waitFor();
  await page.evaluate('aheadMs = 0');
  await page.getByText('Thanks.').waitFor();
  expect(sent).toHaveLength(3);
});

describe('the widget of the proof of work', () => {
  const lost: Reply = { status: 502, html: '<h1>Bad gateway' };

  test('that is answered with 502, as while the gateway restarts, has the submission repeated', async () => {
    let isAway = true;
    const script = () => (isAway ? lost : WIDGET);
    const { page } = await open(place('one') + TAG, {
      ...forms(one),
      ...proofOfWork(),
      'altcha.js': () => script(),
    });
    await send(page);
    await page.getByText(AWAY).waitFor();
    isAway = false;
    await page.getByText('Thanks.').waitFor();
  });

  test('that a blocker keeps away is told as a form that is not available', async () => {
    const { page } = await open(place('one') + TAG, {
      ...forms(one),
      ...proofOfWork(),
      'altcha.js': { broken: true },
    });
    await send(page);
    await page.getByText(NOT_HERE).waitFor();
  });

  test('leaves the word to a challenge that is answered with 503, and waits as long as that asks for', async () => {
    const away: Reply = { status: 503, json: {}, headers: { 'Retry-After': '600' } };
    const { page, asked } = await open(place('one') + TAG, {
      ...forms(one),
      ...proofOfWork(),
      challenge: away,
      'altcha.js': lost,
    });
    await page.clock.install();
    await send(page);
    await page.getByText(AWAY).waitFor();
    // The preparation, the submission, and the preparation once the visitor is back in the form.
    await eventually(() => count(asked, '/challenge') === 3);
    await page.clock.runFor(300_000);
    expect(count(asked, '/challenge')).toBe(3);
  });

  test('that the release before defines, as during a rollout, is used under the name that one gives', async () => {
    const script = WIDGET.script!.replace(/\(globalThis\.document.*\);\s*$/, "('altcha-widget');");
    expect(script).not.toBe(WIDGET.script);
    const { page } = await open(place('one') + TAG, {
      ...forms(one),
      ...proofOfWork(),
      'altcha.js': { script },
    });
    await send(page);
    await page.getByText('Thanks.').waitFor();
  });

  test('that was lost for a moment is loaded again at once', async () => {
    const replies: Reply[] = [lost];
    const { page, sent, complaints } = await open(
      place('one') + TAG,
      { ...forms(one), ...proofOfWork(), 'altcha.js': () => replies.shift() ?? WIDGET },
      { init: `Object.defineProperty(navigator, 'connection', { value: { saveData: true } })` },
    );
    await send(page);
    await page.getByText('Thanks.').waitFor();
    expect(sent).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  test('that a policy of the page forbids is told as a form that is not available', async () => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="script-src ${GATEWAY}/formgate.js">`;
    const { page } = await open(policy + place('one') + TAG, { ...forms(one), ...proofOfWork() });
    await send(page);
    await page.locator('.fg-alert p').waitFor();
    expect(await page.locator('.fg-alert').textContent()).toBe(NOT_HERE);
  });
});

describe('a page view', () => {
  test('is recorded once a prerendered page is opened, and not before', async () => {
    const { page, asked } = await open(place('one') + TAG, forms(one), {
      init: `window.isAhead = true;
        Object.defineProperty(document, 'prerendering', { get: () => isAhead })`,
    });
    await page.locator('[name=a]').waitFor();
    expect(count(asked, '/visits')).toBe(0);
    await page.evaluate(`isAhead = false; document.dispatchEvent(new Event('prerenderingchange'))`);
    await eventually(() => count(asked, '/visits') === 1);
  });

  test('is recorded once, though the page has the script twice and a router evaluates it again', async () => {
    const two = form('two', [field('b')], { css_selector: 'main' });
    const tag = TAG.replace('data-website', 'data-forms="two" data-website');
    const { page, asked, sent } = await open(`<main></main>${place('one')}${TAG}${tag}`, {
      ...forms(one, two),
    });
    await page.locator('[name=b]').waitFor();
    await page.evaluate(`(() => {
      document.body.innerHTML = '<div data-formgate="one"></div>';
      const script = document.createElement('script');
      Object.assign(script, { src: '${GATEWAY}/formgate.js' }).dataset.website = 'w';
      document.body.append(script);
    })()`);
    await send(page);
    await page.getByText('Thanks.').waitFor();
    expect(sent).toEqual([expect.objectContaining({ visitor_hash: 'h' })]);
    expect(count(asked, '/visits')).toBe(1);
  });
});

test('a form that was sent by a repetition leaves no timer, though it was edited meanwhile', async () => {
  let release = () => {};
  const replies: (Reply | Promise<Reply>)[] = [
    { status: 503, json: {} },
    new Promise((resolve) => {
      release = () => resolve(DEFAULTS.submit);
    }),
  ];
  const { page, sent } = await open(place('one') + TAG, {
    ...forms(one),
    submit: async () => replies.shift()!,
  });
  await page.clock.install();
  await send(page, 'first');
  await page.getByText(AWAY).waitFor();
  await page.clock.runFor(2_000);
  await eventually(() => sent.length === 2);
  await page.locator('[name=a]').fill('second');
  release();
  await page.getByText('Thanks.').waitFor();
  await page.evaluate(`window.timers = 0; const set = setTimeout;
    window.setTimeout = (...given) => { timers++; return set(...given); }`);
  await page.clock.runFor(10_000);
  expect(await page.evaluate('timers')).toBe(0);
});

test('a field that the page has filled in without an event decides at the click which others are shown', async () => {
  const options = ['other', 'quote'].map((value) => ({ value, label: value }));
  const rules = [{ field: 'topic', operator: 'equals', value: 'quote' }];
  const fields = [
    field('topic', { type: 'select', options }),
    field('phone', { is_required: true, visibility: { match: 'all', rules } }),
  ];
  const { page, sent } = await open(place('one') + TAG, forms(form('one', fields)));
  const phone = page.locator('[name=phone]');
  await phone.waitFor({ state: 'attached' });
  await page.evaluate(`document.querySelector('[name=topic]').value = 'quote'`);
  await page.locator('.fg-submit').click();
  await page.locator('.fg-field:has([name=phone]) .fg-error', { hasText: 'Please fill in' }).waitFor();
  expect(await page.evaluate('document.activeElement.name')).toBe('phone');
  await phone.fill('12');
  await page.locator('.fg-submit').click();
  await page.getByText('Thanks.').waitFor();
  expect(sent).toEqual([expect.objectContaining({ topic: 'quote', phone: '12' })]);
});
