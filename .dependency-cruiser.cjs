/**
 * The order of the house: a layer imports itself and what stands before it, never what comes after.
 * One array, read from left to right; see docs/architecture.md.
 */
const layers = [
  'generated',
  'errors|config|variables|lib',
  'db|cache',
  'http|queue|mail',
  'graphql|audit|auth',
  'accounts',
  'plans',
  'teams',
  'tokens',
  'webhooks',
  'websites',
  'visits',
  'forms',
  'captcha',
  'spam',
  'notifications',
  'submissions',
  'probes',
  'rollups',
  'attention',
  'staff-emails',
  'provision',
  'backfills|jobs|services|panel|openapi|app',
  'gateway|worker|embedded',
  'cli',
];

/** What the visitors' script and the panel have in common with the server. */
const shared = `^src/(${[
  'captcha/step',
  'forms/definition/condition-checks',
  'forms/definition/conditions',
  'forms/definition/form-definition',
  'forms/definition/form-faults',
  'forms/definition/form-texts',
  'forms/definition/locales',
  'forms/recipients/recipient-rules',
  'forms/recipients/rule-faults',
  'forms/validation/context-fields',
  'forms/validation/entry-messages',
  'forms/validation/field-value',
  'forms/validation/sent-value',
  'lib/durations',
  'lib/group-by',
  'lib/is-object',
  'lib/text/characters',
  'lib/text/csv-rows',
  'lib/text/decimal',
  'lib/text/email-address',
  'lib/text/formulas',
  'lib/text/free-mail',
  'lib/text/http-url',
  'lib/text/storable-text',
  'mail/server-away',
  'tokens/token-warning',
  'webhooks/webhook-limits',
].join('|')})\\.ts$`;

/** A folder, a file, or the file beside it that describes it for OpenAPI. */
const path = (names) => `^src/(${names})((\\.openapi)?\\.ts$|/)`;

module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-unplaced-file',
      comment: 'Every file of src/ belongs to a layer.',
      severity: 'error',
      from: { path: '^src/', pathNot: layers.map(path) },
      to: {},
    },
    ...layers.slice(0, -1).map((names, index) => ({
      name: `layer-${names.split('|')[0]}`,
      severity: 'error',
      from: { path: path(names) },
      to: { path: path(layers.slice(index + 1).join('|')) },
    })),
    {
      name: 'services-know-no-transport',
      comment: 'A service or a pure module imports neither Express nor GraphQL.',
      severity: 'error',
      from: {
        path: '^src/[^/]+/',
        pathNot: [
          '^src/(http|graphql|embedded|generated)/',
          '\\.(controller|resolver|type)\\.ts$',
          '^src/tokens/bearer\\.ts$',
          '^src/websites/requested-website\\.ts$',
          '^src/auth/session-cookie\\.ts$',
        ],
      },
      to: {
        path: ['^node_modules/(express|graphql|type-graphql|@apollo)', '\\.(controller|resolver)\\.ts$'],
      },
    },
    {
      name: 'controllers-stand-alone',
      severity: 'error',
      from: { path: '\\.(controller|resolver)\\.ts$' },
      to: { path: '\\.(controller|resolver)\\.ts$' },
    },
    {
      name: 'embedded-only-from-cli',
      comment: 'Nothing but the command line may depend on the embedded PostgreSQL and mail catcher.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli\\.ts|cli/|embedded/)' },
      to: { path: '^src/embedded/' },
    },
    {
      name: 'browser-imports-pure-modules',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^src/', pathNot: shared },
    },
    {
      name: 'scripts-for-browsers-stand-alone',
      comment: 'The panel and the frame of its preview share the types of their messages.',
      severity: 'error',
      from: { path: '^web/([^/]+)/' },
      to: { path: '^web/', pathNot: '^web/($1/|script/preview-messages\\.ts$)' },
    },
    {
      name: 'server-imports-nothing-for-browsers',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^web/' },
    },
    {
      name: 'panel-pages-stand-alone',
      comment: 'A page has no part of another page: what two share is a part, or beside the pages.',
      severity: 'error',
      from: { path: '^web/panel/pages/([^/.]+)' },
      to: { path: '^web/panel/(pages|shell)/', pathNot: '^web/panel/pages/$1([/.]|$)' },
    },
    {
      name: 'panel-parts-have-no-query',
      comment:
        'A shared part shows what it is given. Of the panel it knows its words, its errors and the viewer.',
      severity: 'error',
      from: { path: '^web/panel/parts/' },
      to: {
        path: '^web/panel/',
        pathNot: '^web/panel/(parts/|texts/|language\\.tsx|graphql\\.ts|session\\.tsx)',
      },
    },
    {
      name: 'shared-with-the-browser-stays-pure',
      comment: 'What browsers share with the server imports nothing that a page does not have.',
      severity: 'error',
      from: { path: shared },
      to: { pathNot: shared },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/generated/' },
  },
};
