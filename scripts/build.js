// Builds what is stale, and nothing else: the Prisma client into src/generated, src bundled into dist/cli.js
// and dist/chunks and module by module into dist/modules, the scripts for browsers into dist/assets, and the panel's
// pages into dist/panel.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzipSync } from 'node:zlib';
import { minify as renameBySwc, transformFile } from '@swc/core';
import { build as bundle, transform } from 'esbuild';
import { minify } from 'terser';
import { COMPILER } from './compiler.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

/** Time of the newest file under a path, or 0 when it does not exist. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

async function run(packageFile, args, env = {}) {
  try {
    await promisify(execFile)(process.execPath, [require.resolve(packageFile), ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      maxBuffer: Number.POSITIVE_INFINITY,
    });
  } catch (error) {
    process.stderr.write(`${error.stdout ?? ''}${error.stderr ?? ''}`);
    throw new Error(`${packageFile} ${args.join(' ')} failed.`);
  }
}

async function step(stampName, sources, work) {
  const stamp = join(root, 'dist', stampName);
  const inputs = [...sources, 'package-lock.json', 'scripts/build.js'].map((source) => join(root, source));
  if (newest(stamp) >= Math.max(...inputs.map(newest))) return;
  await work();
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, '');
}

/** Writes a script of a package into dist/assets, with the package's name, version and licences above it. */
function writeAsset(name, packageName, licences, script) {
  const folder = join(root, 'node_modules', packageName);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = licences.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const notice = [`${packageName} ${version}`, ...texts].join('\n\n').replaceAll('*/', '* /');
  mkdirSync(join(root, 'dist/assets'), { recursive: true });
  writeFileSync(join(root, 'dist/assets', name), `/*! ${notice}\n*/\n${script(folder)}\n`);
}

/** The widget's name, as its script asks whether it is defined and defines it. */
const WIDGET_NAME = /(customElements\.(?:get|define)\()"altcha-widget"/g;

/** What all widgets of a page share: defaults and plugins. */
const WIDGET_STATE = /(?:globalThis\.)?(\$altcha)\b/g;

/**
 * The proof-of-work widget as a page may load it: hidden from a loader such as RequireJS, to which it would
 * otherwise hand itself instead of running. The fragment of its address names the element, so that the visitors' script
 * leaves `altcha-widget` to the page, which may have a version of its own, with defaults that are not for ours.
 */
function buildWidget() {
  writeAsset('altcha.js', 'altcha', ['LICENSE.txt'], (folder) => {
    const widget = readFileSync(join(folder, 'dist/main/altcha.umd.min.cjs'), 'utf8').trim();
    if (widget.match(WIDGET_NAME)?.length !== 2)
      throw new Error('The widget of altcha is defined in another way.');
    const named = widget.replace(WIDGET_NAME, "$1NAME||'altcha-widget'").replace(WIDGET_STATE, 'STATE.$1');
    const name = `globalThis.document?.currentScript?.src.split('#')[1]`;
    return `(function(NAME,define,exports,module){const STATE=NAME?{}:globalThis;${named}\n})(${name});`;
  });
}

/** What the page /api/docs shows the API with, without the address of a source map that is not there. */
function buildViewer() {
  const licences = ['LICENSE.txt', 'dist/rapidoc-min.js.LICENSE.txt'];
  writeAsset('rapidoc.js', 'rapidoc', licences, (folder) =>
    readFileSync(join(folder, 'dist/rapidoc-min.js'), 'utf8')
      .replace(/^\/\/# sourceMappingURL=.*$/m, '')
      .trim(),
  );
}

/** The page of GET /graphql: the editor and what starts it, and its styles. */
function buildQueryPage() {
  const { js, css } = require('@graphql-yoga/render-graphiql/graphiql');
  const start =
    "YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), { endpoint: location.pathname });";
  writeAsset('graphiql.js', '@graphql-yoga/render-graphiql', ['LICENSE'], () => `${js}\n${start}`);
  writeAsset('graphiql.css', '@graphql-yoga/render-graphiql', ['LICENSE'], () => css);
}

/** The folders that a bundle for browsers is built from; a test compares them with what it imports. */
export const BUNDLED = {
  panel: ['web/panel', 'src/captcha', 'src/forms', 'src/lib', 'src/mail', 'src/tokens', 'src/webhooks'],
  script: ['web/script', 'src/forms', 'src/lib'],
};

const SCRIPT_NOTICE = '/*! Formgate, MIT */';

/**
 * Properties that never leave the script, whose names are shortened. `content`, `controls`, `entry`, `exponent`,
 * `fill`, `grow`, `heading`, `host`, `language`, `read`, `root`, `sign`, `slot`, `start` and `views` are names of the
 * browser's too, which the script may not use as such.
 */
const OWN_PROPERTIES =
  /^(answer|attempt|callOff|clearErrors|config|content|controls|digits|entered|entry|exponent|fallbackToken|faults|fill|grow|hasNewSignature|heading|highest|host|idempotencyKey|isUnreadable|language|lowest|outcome|path|place|postpone|prepare|prepared|read|recheck|repeatAfter|replayed|root|setErrors|showErrors|showFailure|sign|slot|solution|solve|start|take|texts|token|versions|views|visit|warmUp)$/;

/** Has a script import style sheets as their text, minified. */
const styleAsText = {
  name: 'style-as-text',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'css', minify: true });
      const contents = code
        .trim()
        // The values of custom properties stay as they are written otherwise.
        .replace(/(?<=[:,]) /g, '')
        // Those of the script's own are told apart by their first letter.
        .replace(/(--_[a-z])[a-z-]*/g, '$1');
      return { contents, loader: 'text' };
    }),
};

/** The script for visitors' pages, from the same source for `<script>`, for `import`, and for the panel's preview. */
async function buildScript() {
  for (const [entry, file, format] of [
    ['classic.ts', 'formgate.js', 'iife'],
    ['module.ts', 'formgate.mjs', 'esm'],
    ['preview.ts', 'preview.js', 'iife'],
  ]) {
    const { outputFiles } = await bundle({
      entryPoints: [join(root, 'web/script', entry)],
      tsconfig: join(root, 'web/script/tsconfig.json'),
      write: false,
      format,
      bundle: true,
      plugins: [styleAsText],
      minify: true,
      // Without it every umlaut would take six bytes.
      charset: 'utf8',
      target: 'es2022',
      logLevel: 'warning',
    });
    // Another thirtieth less than esbuild's own, which looks at one expression at a time.
    const { code } = await minify(outputFiles[0].text, {
      ecma: 2022,
      // Both are strict and leave no name behind.
      module: true,
      mangle: { properties: { regex: OWN_PROPERTIES, builtins: true } },
      compress: {
        passes: 4,
        hoist_funs: true,
        pure_getters: true,
        // No value here reads otherwise by `String(value)` than by `value + ''`.
        unsafe: true,
        unsafe_arrows: true,
        keep_fargs: false,
        sequences: false,
        lhs_constants: false,
      },
    });
    // Once more for the names alone: those that SWC gives compress better.
    const { code: named } = await renameBySwc(code, {
      compress: false,
      mangle: true,
      module: format === 'esm',
    });
    mkdirSync(join(root, 'dist/assets'), { recursive: true });
    writeFileSync(join(root, 'dist/assets', file), `${SCRIPT_NOTICE}\n${named}`);
  }
}

/** The panel's pages; each asset also compressed, since it is served as it lies there. */
async function buildPanel() {
  const vite = join(dirname(require.resolve('vite/package.json')), 'bin/vite.js');
  await run(vite, ['build', '--config', 'web/panel/vite.config.js', '--logLevel', 'error']);
  const assets = join(root, 'dist/panel/assets');
  await Promise.all(
    readdirSync(assets).map(async (name) => {
      const content = readFileSync(join(assets, name));
      writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }));
      // On another thread, since it takes longer than all else that is done here.
      writeFileSync(join(assets, `${name}.br`), await promisify(brotliCompress)(content));
    }),
  );
}

/** A module of src as JavaScript, with the map that leads back to it. */
const compile = (path) => transformFile(path, { ...COMPILER, sourceMaps: 'inline' });

/** The modules one by one, for what runs a part of the program. */
async function writeModules() {
  const [sources, modules] = [join(root, 'src'), join(root, 'dist/modules')];
  const names = readdirSync(sources, { recursive: true }).filter((name) => name.endsWith('.ts'));
  await Promise.all(
    names.map(async (name) => {
      const target = join(modules, name.replace(/\.ts$/, '.js'));
      const { code } = await compile(join(sources, name));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, code);
    }),
  );
}

/** Has SWC compile the modules of a bundle, since esbuild knows no metadata of decorators. */
const compiledBySwc = {
  name: 'compiled-by-swc',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const { code } = await compile(path);
      return { contents: code, loader: 'js' };
    }),
};

/**
 * The program in few files: Node takes longer to find and compile some six hundred modules than to run them. What each
 * command imports by itself is a chunk of its own, packages stay what npm has installed.
 */
async function bundleProgram() {
  const { metafile } = await bundle({
    entryPoints: [join(root, 'src/cli.ts')],
    absWorkingDir: root,
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    plugins: [compiledBySwc],
    // GraphQL's types and the logs name classes and functions.
    keepNames: true,
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  });
  // Only afterwards, because a process that starts meanwhile may still read them.
  for (const name of readdirSync(join(root, 'dist/chunks'))) {
    if (!metafile.outputs[`dist/chunks/${name}`]) rmSync(join(root, 'dist/chunks', name), { force: true });
  }
}

/** The server: the Prisma client, then what imports it. Type checking is `npm run typecheck`. */
async function buildServer() {
  await step('.generated', ['prisma/schema.prisma', 'prisma.config.ts'], () =>
    // The generator asks for an engine binary that it never runs; any existing file keeps it from
    // downloading one.
    run('prisma/build/index.js', ['generate'], {
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: '1',
    }),
  );
  await step('.compiled', ['src', 'scripts/compiler.js'], async () => {
    await Promise.all([writeModules(), bundleProgram()]);
  });
}

/** Brings dist/ up to date with src/, prisma/ and what runs in browsers. */
export async function build() {
  const generated = join(root, 'src/generated');
  if (newest(generated) === 0) rmSync(join(root, 'dist'), { recursive: true, force: true });
  const packages = ['altcha', 'rapidoc', '@graphql-yoga/render-graphiql'];
  const versions = packages.map((name) => `node_modules/${name}/package.json`);
  // At the same time, because the first start of a checkout waits for all of it.
  await Promise.all([
    buildServer(),
    step('.panel', BUNDLED.panel, buildPanel),
    step('.assets', versions, () => {
      buildWidget();
      buildViewer();
      buildQueryPage();
    }),
    step('.script', BUNDLED.script, buildScript),
  ]);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await build();
