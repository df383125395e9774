import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  DEFAULTS,
  field,
  form,
  forms,
  GATEWAY,
  pageOpener,
  place,
  type Reply,
  TAG,
} from '../support/stand-in-gateway.js';
import { eventually } from '../support/wait.js';

/*
 * The script against pages and answers that wish it ill. Everything comes from the test itself: the gateway
 * would not let most of it through.
 */

const PREVIEW = readFileSync(new URL('../../dist/assets/preview.js', import.meta.url), 'utf8');

const open = pageOpener();

describe('a hostile form definition', () => {
  const RUN = 'window.ran = true';
  const MARKUP = `<img src="https://evil.test/i" onerror="${RUN}"><script>${RUN}</script>`;
  const laced = form(
    'laced',
    [
      field('a', {
        label: MARKUP,
        help_text: MARKUP,
        placeholder: MARKUP,
        link_url: `javascript:${RUN}`,
        attributes: {
          onfocus: RUN,
          OnInput: RUN,
          style: 'background: url(https://evil.test/s)',
          FormAction: 'x',
        },
      }),
      field('b', { type: 'radio', label: MARKUP, options: [{ value: MARKUP, label: MARKUP }] }),
      field('c', { type: 'select', options: [{ value: '"><script>', label: MARKUP }] }),
    ],
    {
      submit_button_text: MARKUP,
      privacy_notice: { text: MARKUP, url: `JavaScript:${RUN}` },
      html_wrapper: `<section id="wrap" onclick="${RUN}" style="color:red">${MARKUP}<iframe src="https://evil.test/f"></iframe><a href="javascript:${RUN}">x</a><div></div></section>`,
      appearance: {
        '--fg-accent': `red} body{display:none} </style><script>${RUN}</script>`,
        '--fg-background': 'url(https://evil.test/b)',
        'background-image': 'url(https://evil.test/p)',
        display: 'none',
      },
    },
  );

  test('runs no script and requests nothing from another host', async () => {
    const answers = { ...forms(laced), submit: { json: { success: true, message: MARKUP, lead_id: '1' } } };
    const { page, asked, complaints } = await open(place('laced') + TAG, answers);
    await page.locator('[name=a]').click();
    await page.keyboard.type('x');
    for (const link of await page.locator('#wrap a').all()) await link.click();
    await page.locator('.fg-submit').click();
    await page.locator('.fg-message').waitFor();
    expect(await page.locator('.fg-message').textContent()).toBe(MARKUP);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(
      await page
        .locator('#wrap')
        .evaluate(
          (wrap) => wrap.querySelectorAll('script, img, iframe, style, [onclick], [style*=color]').length,
        ),
    ).toBe(0);
    expect(asked.filter((url) => url.includes('evil.test'))).toEqual([]);
    expect(complaints).toEqual([]);
    expect(page.context().pages()).toHaveLength(1);
  });
});

describe('a page', () => {
  test('with a placement without selector keeps its other forms', async () => {
    const broken = form('broken', [field('a')], { css_selector: '##' });
    const lost = form('lost', [field('a')], { css_selector: '#nowhere' });
    const good = form('good', [field('b')], { css_selector: '#here' });
    const tag = TAG.replace('data-website', 'data-forms="broken, lost, good, gone" data-website');
    const { page, complaints } = await open(
      `<p id="here"></p>${place('not a slug')}${tag}`,
      forms(broken, lost, good),
    );
    await page.locator('#here [name=b]').waitFor();
    expect(complaints).toEqual([
      'Formgate: "not a slug" is no form.',
      expect.stringMatching(
        /^Formgate: the form "broken" failed\. SyntaxError: .*'##' is not a valid selector/,
      ),
      'Formgate: the form "lost" has no place.',
      'Formgate: no form "gone" on https://site.test: it is not on this website',
    ]);
  });

  test('with a definition that cannot be shown keeps its other forms', async () => {
    const broken = form('broken', [], { fields: null });
    const { page, complaints } = await open(
      place('broken') + place('good') + TAG,
      forms(broken, form('good', [field('a')])),
    );
    await page.locator('[name=a]').waitFor();
    expect(complaints).toEqual([expect.stringMatching(/^Formgate: the form "broken" failed\. TypeError/)]);
    await page.locator('[data-formgate=broken] > .fg-missing').waitFor();
  });

  test('with the script twice, and the module beside it, shows each form once and no id twice', async () => {
    const tag = TAG.replace('data-website', 'data-forms="other" data-website');
    const answers = forms(
      form('one', [field('a', { help_text: 'x' })]),
      form('other', [field('b')], { css_selector: 'main' }),
    );
    const { page } = await open(`${place('one')}<main></main>${tag}${tag}<div id="mine"></div>`, answers);
    await page.locator('main form').waitFor();
    await page.evaluate(`import('${GATEWAY}/formgate.mjs').then(({ mount }) =>
      mount(document.querySelector('#mine'), { website: 'w', form: 'one' }))`);
    expect(await page.locator('form').count()).toBe(3);
    const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('that mounts and unmounts repeatedly has one form, and is restored at the end', async () => {
    const { page } = await open(
      '<div id="root"></div>',
      forms(form('one', [field('a')], { html_wrapper: '<p class="w"></p> text' })),
    );
    const left = await page.evaluate(`(async () => {
      const { mount } = await import('${GATEWAY}/formgate.mjs');
      const root = document.querySelector('#root');
      for (let round = 0; round < 5; round++) {
        // As React's strict mode does: gone before it has come, and mounted again.
        const first = mount(root, { website: 'w', form: 'one' }).then((form) => form.unmount());
        const second = await mount(root, { website: 'w', form: 'one' });
        await first;
        if (root.querySelectorAll('form').length !== 1) return 'not one form';
        root.remove();
        document.body.append(root);
        second.element.querySelector('input').value = 'kept';
        second.unmount();
        second.unmount();
      }
      return { markup: root.innerHTML, sheets: document.adoptedStyleSheets.length };
    })()`);
    expect(left).toEqual({ markup: '', sheets: 1 });
  });

  test('of 320 pixels, right to left, with long labels, does not scroll sideways', async () => {
    const long = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(4);
    const options = [{ value: 'x', label: long }];
    const types = ['text', 'select', 'radio', 'checkbox', 'textarea', 'date', 'consent'];
    const fields = types.map((type) =>
      field(type, { type, label: long, help_text: long, options, link_url: `https://x.test/${long}` }),
    );
    const { page } = await open(
      place('long') + TAG,
      forms(form('long', fields, { submit_button_text: long, privacy_notice: { text: long, url: null } })),
      { html: 'dir="rtl"', width: 320 },
    );
    await page.locator('.fg-submit').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(await page.evaluate(`getComputedStyle(document.querySelector('form')).direction`)).toBe('ltr');
  });

  test('whose styles reset every element still hides hidden fields', async () => {
    const hidden = field('b', {
      visibility: { match: 'all', rules: [{ field: 'a', operator: 'equals', value: 'x' }] },
    });
    const reset = '<style>* { all: unset; display: block } [hidden] { display: block }</style>';
    const { page } = await open(reset + place('one') + TAG, forms(form('one', [field('a'), hidden])));
    expect(await page.locator('[name=b]').isVisible()).toBe(false);
    await page.locator('[name=a]').fill('x');
    expect(await page.locator('[name=b]').isVisible()).toBe(true);
  });
});

describe('an answer', () => {
  test.each<[string, Reply, string]>([
    ['of another origin', { status: 403, json: { error: 'origin_not_allowed' } }, '403 origin_not_allowed'],
    [
      'of a disabled website',
      { status: 403, json: { message: 'This website is disabled.' } },
      '403 This website is disabled.',
    ],
    ['of no website', { status: 404, json: { message: 'Website not found.' } }, '404 Website not found.'],
    [
      'that finds the request wrong',
      { status: 422, json: { message: 'Wrong.', errors: { f: ['x'] } } },
      '422 Wrong.',
    ],
    ['after too many', { status: 429, json: { message: 'Too many requests.' } }, '429 Too many requests.'],
    ['of a proxy', { status: 502, html: '<h1>Bad gateway' }, '502'],
    ['of a hotel', { html: '<h1>Welcome' }, '0'],
    ['that is a list', { json: null }, '0'],
    ['that never comes', { broken: true }, '0'],
  ])('%s shows the visitor that there is no form, and logs the reason', async (_case, config, why) => {
    const { page, complaints } = await open(`<h1>Mine</h1>${place('one')}${TAG}`, { config });
    const told = page.locator('[data-formgate] [role=status]');
    await told.waitFor();
    expect(await told.textContent()).toBe('This form is not available here at the moment.');
    expect(complaints.map((text) => text.trim())).toEqual([
      `Formgate: no form "one" on https://site.test: ${why}`,
    ]);
  });

  test('about a form without an element leaves the page alone', async () => {
    const tag = TAG.replace('data-website', 'data-forms="one" data-website');
    const { page, complaints } = await open(`<h1>Mine</h1>${tag}`, { config: { status: 503, json: {} } });
    await eventually(() => complaints.length > 0);
    expect(complaints).toHaveLength(1);
    expect((await page.locator('html').innerText()).trim()).toBe('Mine');
  });

  test('that is an HTML page is not taken for a confirmation', async () => {
    let isHotel = true;
    const submit = () => (isHotel ? { html: '<h1>Welcome' } : DEFAULTS.submit);
    const { page, sent } = await open(place('one') + TAG, { ...forms(form('one', [field('a')])), submit });
    await page.locator('[name=a]').fill('kept');
    await page.locator('.fg-submit').click();
    await page.locator('.fg-alert p').waitFor();
    expect(await page.locator('.fg-alert').textContent()).toBe(
      'No answer yet. It will be sent again shortly.',
    );
    expect(await page.locator('[name=a]').inputValue()).toBe('kept');
    isHotel = false;
    await page.locator('.fg-submit').click();
    await page.locator('.fg-message').waitFor();
    expect(sent).toHaveLength(2);
  });
});

describe('a gateway that is away', () => {
  const away: Reply = { status: 503, json: {} };
  const one = form('one', [field('a', { is_required: true })]);

  test('for the definitions is asked again, after its pause, until the form is there', async () => {
    const replies: Reply[] = [{ ...away, headers: { 'Retry-After': '3' } }, { broken: true }];
    const askedAt: number[] = [];
    const config = () => {
      askedAt.push(Date.now());
      return replies.shift() ?? (forms(one).config as Reply);
    };
    const { page, complaints } = await open(place('one') + TAG, { config });
    await page.locator('[data-formgate] [role=status]').first().waitFor();
    await page.locator('[name=a]').waitFor();
    expect(await page.getByText('not available').count()).toBe(0);
    expect(complaints).toHaveLength(1);
    expect(askedAt).toHaveLength(3);
    expect(askedAt[1]! - askedAt[0]!).toBeGreaterThanOrEqual(2_950);
    const inspector = await page.context().newCDPSession(page);
    const { result } = await inspector.send('Runtime.evaluate', { expression: 'window' });
    const { listeners } = await inspector.send('DOMDebugger.getEventListeners', {
      objectId: result.objectId!,
    });
    expect(listeners.filter(({ type }) => type === 'online')).toEqual([]);
  });

  const mount = `import('${GATEWAY}/formgate.mjs').then(({ mount }) =>
    mount(document.querySelector('#here'), { website: 'w', form: 'one' }))`;

  test.each([403, 404, 422])('is no gateway that refuses: %d is final', async (status) => {
    const { page, asked } = await open('<p id="here"></p>', { config: { status, json: {} } });
    expect(await page.evaluate(`${mount}`)).toBeNull();
    expect(asked.filter((url) => url.includes('/config'))).toHaveLength(1);
  });

  test('leaves one note in an element, however often it is mounted, and none beside the form', async () => {
    let config: Reply = { status: 404, json: {} };
    const { page } = await open('<p id="here"></p>', { config: () => config });
    for (let round = 0; round < 2; round++) {
      expect(await page.evaluate(`${mount}`)).toBeNull();
      expect(await page.locator('#here').textContent()).toBe(
        'This form is not available here at the moment.',
      );
    }
    config = forms(one).config as Reply;
    await page.evaluate(`${mount}.then(() => null)`);
    await page.locator('[name=a]').waitFor();
    expect(await page.getByText('not available').count()).toBe(0);
  });

  test('is asked no more for an element that has left the page', async () => {
    const { page, asked } = await open('<p id="here"></p>', { config: away });
    const mounted = page.evaluate(mount);
    await page.locator('#here [role=status]').waitFor();
    await page.evaluate(`document.querySelector('#here').remove()`);
    expect(await mounted).toBeNull();
    expect(asked.filter((url) => url.includes('/config'))).toHaveLength(1);
  });

  test('as a 408 says, which did not get the request in time, is asked again', async () => {
    const late: Reply = { status: 408, json: { message: 'The request did not arrive in time.' } };
    const configs: Reply[] = [late];
    const submits: Reply[] = [late];
    const { page, sent } = await open(place('one') + TAG, {
      config: () => configs.shift() ?? (forms(one).config as Reply),
      submit: () => submits.shift() ?? DEFAULTS.submit,
    });
    await page.locator('[name=a]').fill('x');
    await page.locator('.fg-submit').click();
    await page.getByText('It will be sent again shortly').waitFor();
    await page.getByText('Thanks.').waitFor();
    expect(sent.map(({ a }) => a)).toEqual(['x', 'x']);
  });

  test('does not get what has become invalid', async () => {
    const { page, sent } = await open(place('one') + TAG, { ...forms(one), submit: away });
    await page.locator('[name=a]').fill('whole');
    await page.locator('.fg-submit').click();
    await page.getByText('It will be sent again shortly').waitFor();
    await page.locator('[name=a]').fill('');
    await page.getByText('Some answers need your attention.').waitFor();
    expect(new Set(sent.map(({ a }) => a))).toEqual(new Set(['whole']));
  });

  test('gets what was half typed when its repetition was due, once it is whole', async () => {
    let isAway = true;
    const submit = () => (isAway ? away : DEFAULTS.submit);
    const { page, sent } = await open(place('one') + TAG, { ...forms(one), submit });
    await page.clock.install();
    await page.locator('[name=a]').fill('first');
    await page.locator('.fg-submit').click();
    await page.getByText('It will be sent again shortly').waitFor();
    await page.locator('[name=a]').fill('');
    await page.clock.runFor(5_000);
    await page.getByText('Some answers need your attention.').waitFor();
    isAway = false;
    await page.locator('[name=a]').fill('whole');
    await page.clock.runFor(5_000);
    await page.getByText('Thanks.').waitFor();
    expect(sent.map(({ a }) => a)).toEqual(['first', 'whole']);
  });

  const refused: Reply = { status: 403, json: { error: 'origin_not_allowed' } };
  const wrong: Reply = { status: 422, json: { message: 'Wrong.', errors: { a: ['Taken.'] } } };

  test.each([
    ['wrong gets it again once it is mended', wrong, 'Taken.', ['x', 'x', 'y']],
    ['refused gets it no more', refused, 'This form is not available here at the moment.', ['x', 'x']],
  ])('and finds the repetition %s', async (_case, reply, told, expected) => {
    const replies: Reply[] = [away, reply];
    const submit = () => replies.shift() ?? DEFAULTS.submit;
    const { page, sent } = await open(place('one') + TAG, { ...forms(one), submit });
    await page.clock.install();
    await page.locator('[name=a]').fill('x');
    await page.locator('.fg-submit').click();
    await page.getByText('It will be sent again shortly').waitFor();
    await page.clock.runFor(2_000);
    await page.getByText(told).waitFor();
    await page.locator('[name=a]').fill('y');
    await page.clock.runFor(5_000);
    // It is disabled while the form is sent, and gone afterwards.
    const isLeft = expected.length === 2;
    expect(await page.locator('.fg-submit:enabled').count()).toBe(isLeft ? 1 : 0);
    if (!isLeft) await page.getByText('Thanks.').waitFor();
    expect(sent.map(({ a }) => a)).toEqual(expected);
  });

  test('while the proof of work is fetched gets the submission when it is back', async () => {
    const captcha = {
      json: {
        chain: [{ key: 'altcha', type: 'altcha', site_key: null }],
        altcha_script: 'https://away.test/altcha.js',
      },
    };
    const { page } = await open(place('one') + TAG, { ...forms(one), captcha, challenge: { broken: true } });
    await page.locator('[name=a]').fill('x');
    await page.locator('.fg-submit').click();
    await page.locator('.fg-alert p').waitFor();
    expect(await page.locator('.fg-alert').textContent()).toBe(
      'No answer yet. It will be sent again shortly.',
    );
  });

  test('and then has had too many requests gets the submission again after the pause it asks for', async () => {
    const replies: Reply[] = [away, { status: 429, json: {}, headers: { 'Retry-After': '5' } }];
    const sentAt: number[] = [];
    const submit = () => {
      sentAt.push(Date.now());
      return replies.shift() ?? DEFAULTS.submit;
    };
    const { page } = await open(place('one') + TAG, { ...forms(one), submit });
    await page.locator('[name=a]').fill('x');
    await page.locator('.fg-submit').click();
    await page.getByText('It will be sent again shortly').waitFor();
    await page.getByText('Thanks.').waitFor();
    expect(sentAt).toHaveLength(3);
    expect(sentAt[2]! - sentAt[1]!).toBeGreaterThanOrEqual(4_950);
  });

  test('gets what waits once a form that the page has put aside is back, and nothing after unmount()', async () => {
    let isAway = true;
    const submit = () => (isAway ? away : DEFAULTS.submit);
    const { page, sent } = await open('<div id="dialog"><p id="here"></p></div>', { ...forms(one), submit });
    await page.clock.install();
    await page.evaluate(`${mount}.then((form) => {
      window.mounted = form;
      window.dialog = document.querySelector('#dialog');
    })`);
    const send = async () => {
      isAway = true;
      await page.locator('[name=a]').fill('x');
      await page.locator('.fg-submit').click();
      await page.getByText('It will be sent again shortly').waitFor();
      isAway = false;
    };
    await send();
    await page.evaluate('dialog.remove()');
    await page.clock.runFor(30_000);
    expect(sent).toHaveLength(1);
    await page.evaluate('document.body.append(dialog)');
    await page.clock.runFor(5_000);
    await page.getByText('Thanks.').waitFor();
    expect(sent).toHaveLength(2);

    await page.evaluate(`mounted.unmount(), ${mount}.then((form) => (window.mounted = form, null))`);
    await send();
    await page.evaluate('mounted.unmount()');
    await page.clock.runFor(30_000);
    await page.evaluate(`document.querySelector('#here').append(mounted.element)`);
    await page.clock.runFor(5_000);
    // A form that is sent has no button that can be pressed.
    expect(await page.evaluate(`mounted.element.querySelector('.fg-submit')?.disabled`)).toBe(false);
    expect(sent).toHaveLength(3);
  });

  test('does not take the focus of a visitor who types elsewhere', async () => {
    let isAway = true;
    const submit = () => (isAway ? away : DEFAULTS.submit);
    const { page, sent } = await open(`<input id="mine">${place('one')}${TAG}`, { ...forms(one), submit });
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.className');
    await page.locator('[name=a]').fill('x');
    await page.locator('.fg-submit').click();
    await page.getByText('It will be sent again shortly').waitFor();
    expect(await focused()).toBe('fg-alert');
    await page.locator('#mine').focus();
    const before = sent.length;
    await eventually(() => sent.length > before);
    await page.locator('.fg-submit:enabled').waitFor();
    expect(await focused()).toBe('mine');
    isAway = false;
    await page.locator('.fg-message').waitFor();
    expect(await focused()).toBe('mine');
  });
});

test('fields may be named like members of the form element', async () => {
  const names = ['style', 'append', 'matches', 'remove', 'isConnected', 'elements'];
  const one = form(
    'one',
    names.map((name) => field(name)),
    { appearance: { '--fg-accent': 'rgb(1, 2, 3)' } },
  );
  let isAway = true;
  const submit = (): Reply => (isAway ? { status: 503, json: {} } : DEFAULTS.submit);
  const { page, complaints, sent } = await open('<p id="here"></p>', { ...forms(one), submit });
  await page.evaluate(`import('${GATEWAY}/formgate.mjs').then(async ({ mount }) => {
    window.mounted = await mount(document.querySelector('#here'), { website: 'w', form: 'one' });
  })`);
  const accent = `getComputedStyle(document.querySelector('.fg-form')).getPropertyValue('--fg-accent')`;
  expect(await page.evaluate(accent)).toBe('rgb(1, 2, 3)');
  for (const name of names) await page.locator(`[name=${name}]`).fill(name);
  await page.locator('.fg-submit').click();
  await page.getByText('It will be sent again shortly').waitFor();
  isAway = false;
  await page.getByText('Thanks.').waitFor();
  expect(sent.at(-1)).toMatchObject(Object.fromEntries(names.map((name) => [name, name])));
  await page.evaluate('mounted.unmount()');
  expect(await page.locator('form').count()).toBe(0);
  expect(complaints.filter((complaint) => complaint.startsWith('uncaught'))).toEqual([]);
});

test('no field’s name keeps a form from being filled in, sent and heard', async () => {
  const { page: blank } = await open('', {});
  const names = (await blank.evaluate(
    `(() => { const names = []; for (const name in document.createElement('form')) names.push(name); return names; })()`,
  )) as string[];
  expect(names).toEqual(expect.arrayContaining(['addEventListener', 'dispatchEvent', 'replaceChildren']));
  const fields = names.map((name) => field(name));
  const { page, complaints, sent } = await open('<p id="here"></p>', forms(form('one', fields)));
  // By the page's own means alone: the test's find no way through a form whose members are hidden.
  const heard = await page.evaluate(`(async () => {
    const { mount } = await import('${GATEWAY}/formgate.mjs');
    const heard = [];
    const done = new Promise((resolve) => {
      for (const name of ['ready', 'submit', 'success', 'error']) {
        document.addEventListener('formgate:' + name, () => {
          heard.push(name);
          if (name === 'success') resolve();
        });
      }
    });
    const values = ${JSON.stringify(Object.fromEntries(names.map((name) => [name, name])))};
    const here = document.querySelector('#here');
    const mounted = await mount(here, { website: 'w', form: 'one', values });
    here.querySelector('.fg-submit').click();
    await done;
    heard.push(here.textContent);
    mounted.unmount();
    heard.push(here.innerHTML);
    return heard;
  })()`);
  expect(heard).toEqual(['ready', 'submit', 'success', 'Thanks.', '']);
  expect(sent).toEqual([expect.objectContaining(Object.fromEntries(names.map((name) => [name, name])))]);
  expect(complaints).toEqual([]);
});

test('what only the gateway finds stays at its field while another one is edited', async () => {
  const answer = { status: 422, json: { message: 'Wrong.', errors: { a: ['Taken.'] } } };
  const fields = [field('a', { is_required: true }), field('b')];
  const { page } = await open(place('one') + TAG, { ...forms(form('one', fields)), submit: answer });
  const error = page.locator('.fg-field:has([name=a]) .fg-error');
  await page.locator('[name=a]').fill('x');
  await page.locator('.fg-submit').click();
  await page.getByText('Taken.').waitFor();
  await page.locator('[name=b]').fill('y');
  expect(await error.textContent()).toBe('Taken.');
  expect(await page.getByRole('alert').textContent()).toBe('Some answers need your attention.');
  await page.locator('[name=a]').fill('');
  expect(await error.textContent()).toBe('Please fill in this field.');
  await page.locator('[name=a]').fill('x');
  expect(await error.isHidden()).toBe(true);
  expect(await page.getByRole('alert').textContent()).toBe('');
});

describe('a form that was edited while a page shows the former version', () => {
  const before = [
    field('style'),
    field('a'),
    field('on', { type: 'checkbox' }),
    field('from', { type: 'hidden' }),
    field('terms', { type: 'consent', label: 'The terms of May' }),
  ];
  const phone = field('phone', { is_required: true });
  const added = {
    status: 422,
    json: { message: 'Wrong.', errors: { phone: ['Please fill in this field.'] } },
  };
  const version = (fields: object[], number: number): Reply => ({
    ...(forms(form('one', fields, { appearance: { '--fg-accent': 'red' } })).config as Reply),
    headers: { 'X-Form-Versions': `one=${number}` },
  });

  /** Opens a page with the first version of the form, fills it in and sends it. */
  async function send(config: () => Reply) {
    const replies = [version(before, 1)];
    const opened = await open('<p id="here"></p>', {
      config: () => replies.shift() ?? config(),
      submit: ({ phone: given }) => (given ? DEFAULTS.submit : added),
    });
    const { page } = opened;
    await page.evaluate(`import('${GATEWAY}/formgate.mjs').then(async ({ mount }) => {
      const options = { website: 'w', form: 'one', values: { from: 'ad', late: 'x' } };
      window.mounted = await mount(document.querySelector('#here'), options);
    })`);
    await page.locator('[name=a]').fill('typed');
    await page.locator('[name=on]').check();
    await page.locator('[name=terms]').check();
    await page.locator('.fg-submit').click();
    await page.getByText('Please fill in this field.').waitFor();
    const asked = () => opened.asked.filter((url) => url.includes('/config'));
    return { ...opened, asked, submits: () => opened.asked.filter((url) => url.includes('/submit')) };
  }

  test('shows the field that was added, with the error, and keeps what was entered', async () => {
    const { page, sent, asked, submits, complaints } = await send(() =>
      version(
        [
          ...before.slice(0, -1),
          field('terms', { type: 'consent', label: 'The terms of June' }),
          phone,
          field('late', { type: 'hidden' }),
        ],
        2,
      ),
    );
    await page.locator('.fg-field:has([name=phone]) .fg-error').waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('Some answers need your attention.');
    expect(await page.evaluate('document.activeElement.name')).toBe('phone');
    expect(await page.locator('form').count()).toBe(1);
    // A consent is to the text that was read.
    expect(await page.locator('[name=terms]').isChecked()).toBe(false);
    await page.locator('[name=phone]').fill('12');
    await page.keyboard.press('Enter');
    await page.getByText('Thanks.').waitFor();
    expect(sent).toHaveLength(2);
    expect(sent[0]).toMatchObject({ terms: 1 });
    expect(sent[1]).toMatchObject({ a: 'typed', on: 1, from: 'ad', late: 'x', phone: '12' });
    expect(sent[1]).not.toHaveProperty('terms');
    expect(asked()).toHaveLength(2);
    expect(submits().at(-1)).toContain('form_version=2');
    expect(complaints.filter((complaint) => complaint.startsWith('uncaught'))).toEqual([]);
    await page.evaluate('mounted.unmount()');
    expect(await page.locator('#here').innerHTML()).toBe('');
  });

  test.each<[string, Reply]>([
    ['lacks the field too', version(before, 1)],
    ['is gone', { json: { forms: { 'one~en': null } } }],
    ['cannot be had', { status: 503, json: {} }],
    ['is broken', { json: { forms: { 'one~en': {} } } }],
  ])('says what is wrong, and asks once for each click, when the definition %s', async (_case, config) => {
    const { page, sent, asked } = await send(() => config);
    await eventually(() => asked().length === 2);
    await page.locator('.fg-alert li').waitFor();
    await page.locator('.fg-submit:enabled').click();
    await eventually(() => asked().length === 3);
    await page.locator('.fg-alert li').waitFor();
    expect(await page.locator('.fg-alert li').allTextContents()).toEqual(['Please fill in this field.']);
    expect(await page.locator('[name=a]').inputValue()).toBe('typed');
    expect(sent).toHaveLength(2);
  });
});

test('a consent is kept over an edit where it is the same, and never ticked for who has not read it', async () => {
  const version = (fields: object[], number: number): Reply => ({
    ...(forms(form('one', fields)).config as Reply),
    headers: { 'X-Form-Versions': `one=${number}` },
  });
  const terms = field('terms', { type: 'consent', label: 'The terms of May' });
  const replies = [version([field('a'), terms, field('news', { type: 'checkbox' })], 1)];
  const refused = { status: 422, json: { message: 'Wrong.', errors: { a: ['Taken.'] } } };
  const { page } = await open(place('one') + TAG, {
    config: () => replies.shift() ?? version([field('a'), terms, field('news', { type: 'consent' })], 2),
    submit: refused,
  });
  await page.locator('[name=a]').fill('typed');
  await page.locator('[name=terms]').check();
  await page.locator('[name=news]').check();
  await page.locator('.fg-submit').click();
  await page.getByText('Taken.').waitFor();
  expect(await page.locator('[name=a]').inputValue()).toBe('typed');
  expect(await page.locator('[name=terms]').isChecked()).toBe(true);
  expect(await page.locator('[name=news]').isChecked()).toBe(false);
});

describe('a form of which a field was edited while a page shows the former version', () => {
  const select = (values: string[], more: object = {}) =>
    field('topic', { type: 'select', options: values.map((value) => ({ value, label: value })), ...more });
  const shownFor = (value: string) => ({
    visibility: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value }] },
  });
  const required = field('phone', { is_required: true });

  test.each<[string, object[], object[], Record<string, string>, Record<string, unknown>]>([
    [
      'shows a field that it hides no longer',
      [select(['quote', 'other']), { ...required, ...shownFor('quote') }],
      [select(['quote', 'other']), required],
      { phone: 'Please fill in this field.' },
      { topic: 'other', phone: '12' },
    ],
    [
      'offers the new options',
      [select(['quote', 'other'])],
      [select(['sales', 'help'])],
      { topic: 'Please choose one of the options offered.' },
      { topic: 'help' },
    ],
    [
      'sends a single value where it took several',
      [select(['other', 'more'], { is_multiple: true })],
      [select(['other', 'more'])],
      { topic: 'Please give a single answer.' },
      { topic: 'more' },
    ],
  ])('%s', async (_what, before, after, errors, accepted) => {
    const version = (fields: object[], number: number): Reply => ({
      ...(forms(form('one', fields)).config as Reply),
      headers: { 'X-Form-Versions': `one=${number}` },
    });
    const replies = [version(before, 1)];
    const [[name, error] = []] = Object.entries(errors);
    const refused = {
      status: 422,
      json: {
        message: 'Wrong.',
        errors: Object.fromEntries(Object.entries(errors).map(([key, text]) => [key, [text]])),
      },
    };
    const { page, sent } = await open(place('one') + TAG, {
      config: () => replies.shift() ?? version(after, 2),
      submit: (values) =>
        Object.entries(accepted).every(([key, value]) => values[key] === value) ? DEFAULTS.submit : refused,
    });
    await page.locator('[name=topic]').selectOption('other');
    await page.locator('.fg-submit').click();
    await page.locator(`.fg-field:has([name=${name}]) .fg-error`, { hasText: error }).waitFor();
    for (const [key, value] of Object.entries(accepted)) {
      const control = page.locator(`[name=${key}]`);
      if (key === 'topic') await control.selectOption(String(value));
      else await control.fill(String(value));
    }
    await page.locator('.fg-submit').click();
    await page.getByText('Thanks.').waitFor();
    expect(sent.at(-1)).toMatchObject(accepted);
  });
});

test('a form with a field named like a member of the form element can be unmounted', async () => {
  const { page } = await open('<p id="here"></p>', forms(form('one', [field('remove')])));
  await page.evaluate(`import('${GATEWAY}/formgate.mjs').then(async ({ mount }) =>
    (await mount(document.querySelector('#here'), { website: 'w', form: 'one' })).unmount())`);
  expect(await page.locator('#here').innerHTML()).toBe('');
});

test('the preview keeps the focus where a field is named like a member of the form element', async () => {
  const { page } = await open('', {});
  await page.addScriptTag({ content: PREVIEW });
  const show = (label: string) => {
    const definition = form('one', [field('elements', { label }), field('b')]);
    return page.evaluate(`postMessage(${JSON.stringify({ kind: 'show', definition, isDark: false })})`);
  };
  await show('Before');
  await page.locator('[name=b]').focus();
  await show('After');
  await page.getByText('After').waitFor();
  expect(await page.evaluate('document.activeElement.name')).toBe('b');
});

test('a hidden field of several values sends each of them', async () => {
  const fields = [field('tags', { type: 'hidden', is_multiple: true }), field('one', { type: 'hidden' })];
  const values = JSON.stringify({ tags: ['a, b', 'c'], one: 7 });
  const { page, sent } = await open(
    place('one', `data-values='${values}'`) + TAG,
    forms(form('one', fields)),
  );
  await page.locator('.fg-submit').click();
  await page.locator('.fg-message').waitFor();
  expect(sent).toEqual([expect.objectContaining({ tags: ['a, b', 'c'], one: '7' })]);
});

test('a chain of two hundred conditional fields updates while typing', async () => {
  const rules = (name: string) => ({ match: 'all', rules: [{ field: name, operator: 'is_not_empty' }] });
  const fields = Array.from({ length: 200 }, (_, index) =>
    field(`f${index}`, index === 0 ? {} : { visibility: rules(`f${index - 1}`) }),
  );
  const values = JSON.stringify(Object.fromEntries(fields.map(({ name }) => [name, 'x'])));
  const { page } = await open(place('many', `data-values='${values}'`) + TAG, forms(form('many', fields)));
  await page.locator('.fg-submit').waitFor();
  expect(await page.locator('.fg-field:visible').count()).toBe(200);
  await page.locator('[name=f100]').fill('');
  expect(await page.locator('.fg-field:visible').count()).toBe(101);
});

describe('for screen readers', () => {
  test('each entry of a field that the page has filled in is described by its help', async () => {
    const fields = [field('tags', { is_multiple: true, help_text: 'Help.' })];
    const { page } = await open(
      place('one', `data-values='{"tags":["a","b"]}'`) + TAG,
      forms(form('one', fields)),
    );
    const entries = page.locator('[name=tags]');
    await entries.first().waitFor();
    const described = await entries.evaluateAll((all) =>
      all.map((one) => one.getAttribute('aria-describedby')),
    );
    expect(described).toHaveLength(2);
    expect(new Set(described)).toEqual(new Set([await page.getByText('Help.').getAttribute('id')]));
  });

  test('a group has its name, its help and its error, and takes the focus', async () => {
    const options = [
      { value: 'x', label: 'X' },
      { value: 'y', label: 'Y' },
    ];
    const more = { is_required: true, help_text: 'Help.', options };
    const fields = [
      field('days', { type: 'checkbox', is_multiple: true, ...more }),
      field('by', { type: 'radio', ...more }),
    ];
    const { page } = await open(place('one') + TAG, forms(form('one', fields)));
    await page.locator('.fg-submit').click();
    const group = page.getByRole('group', { name: 'days' });
    expect(await page.getByRole('alert').textContent()).toBe('Some answers need your attention.');
    expect(await page.evaluate('document.activeElement.value')).toBe('x');
    for (const one of [group, page.getByRole('radiogroup', { name: 'by' })]) {
      const ids = (await one.getAttribute('aria-describedby'))!.split(' ');
      const texts = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).textContent()));
      expect(texts).toEqual(['Help.', 'Please fill in this field.']);
      expect(await one.locator('[aria-invalid=true]').count()).toBe(2);
    }
    await page.keyboard.press('Space');
    expect(await group.locator('[aria-invalid]').count()).toBe(0);
  });
});
