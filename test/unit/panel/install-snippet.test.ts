import { describe, expect, test } from '@jest/globals';
import { scriptFinding } from '../../../src/probes/page.js';
import { policyOf, reactSnippet, snippetOf } from '../../../web/panel/pages/website/install/snippet.js';

const gateway = 'https://forms.agency.test';
const website = '018f2b5e-7c1a-7000-8000-000000000001';
const address = { gateway, website };
const noField = { privacyNoticeText: null, privacyNoticeUrl: null, fields: [] };
const snippet = (forms: readonly { slug: string; cssSelector: string | null }[]) =>
  snippetOf(
    forms.map((form) => ({ ...noField, ...form })),
    { ...address, locale: 'fr' },
  );

describe('the code for a page', () => {
  test.each([
    ['no form', []],
    [
      'forms with elements',
      [
        { slug: 'contact', cssSelector: null },
        { slug: 'quote', cssSelector: null },
      ],
    ],
    ['a form that has its place', [{ slug: 'contact', cssSelector: '#contact' }]],
  ])('of %s is what a probe looks for', (_title, forms) => {
    const pageUrl = new URL('https://www.acme.test/');
    const wanted = { websiteId: website, publicUrl: gateway, pageUrl };
    expect(scriptFinding(snippet(forms), wanted)).toBeNull();
    expect(
      scriptFinding(`<script type="module">${reactSnippet('contact', address)}</script>`, wanted),
    ).toBeNull();
  });

  test('names the forms that their placement puts into the page, and has an element for the others', () => {
    const forms = [
      { slug: 'contact', cssSelector: '#contact' },
      { slug: 'quote', cssSelector: null },
    ];
    expect(snippet(forms)).toBe(
      `<link rel="preload" as="fetch" crossorigin\n      href="${gateway}/api/websites/${website}/forms/config?f=contact~fr,quote~fr">\n<div data-formgate="quote" style="min-height: 3rem"></div>\n<script src="${gateway}/formgate.js"\n        data-website="${website}"\n        data-forms="contact" async crossorigin></script>`,
    );
  });
});

test.each<[readonly string[], string]>([
  [[], `script-src ${gateway};\nconnect-src ${gateway};`],
  [['altcha'], `script-src ${gateway};\nconnect-src ${gateway};\nworker-src blob:;`],
  [
    ['recaptcha_v3', 'recaptcha_enterprise'],
    `script-src ${gateway} https://www.google.com https://www.gstatic.com;\n` +
      `connect-src ${gateway} https://www.google.com;\nframe-src https://www.google.com https://recaptcha.google.com;`,
  ],
])('the policy for the chain %j names each host once', (types, policy) => {
  expect(policyOf(types, gateway)).toBe(policy);
});
