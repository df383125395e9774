import { parse } from '@formatjs/icu-messageformat-parser';
import locales from '@react-aria/optimize-locales-plugin';
import { defineConfig } from 'vite';
import rooms from './texts/rooms.json' with { type: 'json' };

/** Replaced by the gateway with the nonce of each response. */
const NONCE = '%NONCE%';

/** Says whether a room has a text, by the first word of its id: the common one has what no other has. */
const hasText = (room, id) => {
  const [word] = id.split('.');
  return room === 'common' ? !Object.values(rooms).flat().includes(word) : rooms[room].includes(word);
};

/**
 * Parses the texts of the catalogues, so that no browser has to, and none loads the parser. A catalogue is imported
 * room by room, so that a page comes without the texts of others.
 */
const parsedTexts = {
  name: 'parsed-texts',
  transform: {
    order: 'pre',
    filter: { id: /\/texts\/\w+\.json\?room=\w+$/ },
    handler(json, id) {
      const room = /\w+$/.exec(id)[0];
      const texts = Object.entries(JSON.parse(json)).filter(([textId]) => hasText(room, textId));
      const parsed = Object.fromEntries(texts.map(([textId, text]) => [textId, parse(text)]));
      return { code: `export default ${JSON.stringify(parsed)}`, moduleType: 'js' };
    },
  },
};

/** Modules of the panel itself that a login needs. */
const START = 'address|graphql|language|queries|retry-notice|room|router|second-factor|session|theme';

/**
 * Chunks that several pages share, each with what it imports. Without them every set of pages that share a module gets
 * a chunk of its own: some seventy requests a page, which compress badly.
 */
const GROUPS = [
  // All that a login needs, so that it comes without the parts of other pages.
  { name: 'start', test: new RegExp(`web/panel/(pages/(login|error)|${START})\\.tsx?$`), priority: 2 },
  // Without parts that the heaviest page, the inbox, does without.
  {
    name: 'parts',
    test: /web\/panel\/parts\/(?!fields\/(search-select|more-choices)|buttons\/more-button|layout\/table)/,
    minShareCount: 4,
    priority: 1,
  },
];

export default defineConfig({
  root: import.meta.dirname,
  // Chunks find each other by their own addresses, so the panel works under whatever path the gateway has.
  base: './',
  publicDir: false,
  resolve: {
    alias: [
      {
        find: /^@formatjs\/icu-messageformat-parser$/,
        replacement: '@formatjs/icu-messageformat-parser/no-parser.js',
      },
    ],
  },
  plugins: [parsedTexts, locales.vite({ locales: ['en-US', 'fr-FR'] })],
  html: { cspNonce: NONCE },
  build: {
    outDir: '../../dist/panel',
    emptyOutDir: true,
    target: 'es2023',
    // Every browser of that age knows light-dark() and nested rules.
    cssTarget: ['chrome125', 'firefox125', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
  },
});
