import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { finish } from '../../../src/lib/steps.js';
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
    const findingOf = (page: string) => finish(scriptFinding(page, wanted));
    expect(findingOf(snippet(forms))).toBeNull();
    expect(findingOf(`<script type="module">${reactSnippet('contact', address)}</script>`)).toBeNull();
  });

  test('names the forms that their placement puts into the page, and has an element for the others', () => {
    const forms = [
      { slug: 'contact', cssSelector: '#contact' },
      { slug: 'quote', cssSelector: null },
    ];
    expect(snippet(forms)).toBe(
      `<link rel="preload" as="fetch" crossorigin\n      href="${gateway}/api/websites/${website}/forms/config?f=contact~fr,quote~fr">\n<style>\n  #contact { min-height: 3rem }\n  [data-formgate="quote"] { min-height: 3rem }\n</style>\n<div data-formgate="quote"></div>\n<script src="${gateway}/formgate.js"\n        data-website="${website}"\n        data-forms="contact" async crossorigin></script>`,
    );
  });
});

test('the code reserves more height for a narrow window, where long labels take more lines', () => {
  const field = {
    type: 'consent',
    isRequired: true,
    isMultiple: false,
    showLabel: true,
    helpText: null,
    linkUrl: null,
    visibility: null,
    options: [],
    label: 'x'.repeat(150),
  };
  const form = { ...noField, fields: [field], slug: 'contact', cssSelector: '#a</style>' };
  expect(snippetOf([form], { ...address, locale: 'fr' })).toContain(
    '<style>\n  #a\\3c /style> { min-height: 15rem }\n' +
      '  @media (min-width: 44rem) { #a\\3c /style> { min-height: 10rem } }\n</style>',
  );
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

/** Checks a module of React as an editor would, with what it imports. @returns what is wrong with it. */
function checkComponent(source: string): string[] {
  const options: ts.CompilerOptions = {
    allowJs: true,
    checkJs: true,
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    jsx: ts.JsxEmit.ReactJSX,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
  };
  const files = new Map([
    [ts.sys.resolvePath('Form.jsx'), source],
    [
      ts.sys.resolvePath('gateway.d.ts'),
      `declare module '${gateway}/formgate.mjs' {
        export function mount(place: Element | null, form: { website: string; form: string }):
          Promise<{ unmount(): void } | null>;
      }`,
    ],
  ]);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.fileExists = (path) => files.has(path) || fileExists(path);
  const program = ts.createProgram([...files.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

test('the component of React is a whole module, in which nothing is missing', () => {
  const snippet = reactSnippet('contact', address);
  expect(checkComponent(snippet)).toEqual([]);
  // The check sees what is missing.
  expect(checkComponent(snippet.replace(/^import.*$/m, ''))).toContain("Cannot find name 'useRef'.");
});
