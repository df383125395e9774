/**
 * The order of the house: a layer imports itself and what stands before it, never what comes after.
 * One array, read from left to right; see docs/architecture.md.
 */
const layers = [
  'generated',
  'errors|config|lib',
  'db|cache',
  'http|queue|mail',
  'graphql|audit|auth',
  'accounts',
  'plans',
  'teams',
  'tokens',
  'websites',
  'visits',
  'forms',
  'captcha',
  'notifications',
  'submissions',
  'provision',
  'services|panel|openapi|app',
  'gateway|worker|embedded',
  'cli',
];

/** What the browser script has in common with the server. */
const shared =
  '^src/(forms/definition/(conditions|form-definition|locales)|forms/validation/(entry-messages|field-value|sent-value)|lib/(characters|decimal|email-address|http-url|storable-text))\\.ts$';

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
      from: { path: '^web/script/' },
      to: {
        path: '^src/',
        pathNot: ['^web/script/', shared],
      },
    },
    {
      name: 'shared-with-the-browser-stays-pure',
      comment: 'What the browser script shares with the server imports nothing that a page does not have.',
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
