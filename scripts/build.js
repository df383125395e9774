// Builds what is stale, and nothing else: the Prisma client into src/generated, then src into dist, and the
// scripts for browsers into dist/assets.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

/** Time of the newest file under a path, or 0 when it does not exist. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function run(packageFile, args, env = {}) {
  try {
    execFileSync(process.execPath, [require.resolve(packageFile), ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch (error) {
    process.stderr.write(`${error.stdout ?? ''}${error.stderr ?? ''}`);
    throw new Error(`${packageFile} ${args.join(' ')} failed.`);
  }
}

function step(stampName, sources, work) {
  const stamp = join(root, 'dist', stampName);
  const inputs = [...sources, 'package-lock.json', 'scripts/build.js'].map((source) => join(root, source));
  if (newest(stamp) >= Math.max(...inputs.map(newest))) return;
  work();
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

/**
 * The proof-of-work widget as a page may load it: hidden from a loader such as RequireJS, to which it would
 * otherwise hand itself instead of running.
 */
function buildWidget() {
  writeAsset('altcha.js', 'altcha', ['LICENSE.txt'], (folder) => {
    const widget = readFileSync(join(folder, 'dist/main/altcha.umd.min.cjs'), 'utf8').trim();
    return `(function(define,exports,module){${widget}\n})();`;
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

/** The most that the script of the visitors' pages may weigh, compressed. */
const MAX_SCRIPT_BYTES = 15_000;

/** The script for visitors' pages: one for `<script>`, one for `import`, from the same source. */
function buildScript() {
  for (const [entry, file, format] of [
    ['classic.ts', 'formgate.js', 'iife'],
    ['module.ts', 'formgate.mjs', 'esm'],
  ]) {
    const outfile = join(root, 'dist/assets', file);
    buildSync({
      entryPoints: [join(root, 'web/script', entry)],
      tsconfig: join(root, 'web/script/tsconfig.json'),
      outfile,
      format,
      bundle: true,
      minify: true,
      // Without it every umlaut would take six bytes.
      charset: 'utf8',
      target: 'es2022',
      banner: { js: '/*! Formgate, MIT licence */' },
      logLevel: 'warning',
    });
    const weight = gzipSync(readFileSync(outfile), { level: 9 }).length;
    if (weight > MAX_SCRIPT_BYTES) throw new Error(`${file} weighs ${weight} bytes compressed.`);
  }
}

/** Brings dist/ up to date with src/, prisma/ and the scripts for browsers. Type checking is `npm run typecheck`. */
export function build() {
  const generated = join(root, 'src/generated');
  if (newest(generated) === 0) rmSync(join(root, 'dist'), { recursive: true, force: true });
  step('.generated', ['prisma/schema.prisma', 'prisma.config.ts'], () =>
    // The generator asks for an engine binary that it never runs; any existing file keeps it from
    // downloading one.
    run('prisma/build/index.js', ['generate'], {
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: '1',
    }),
  );
  step('.compiled', ['src', 'tsconfig.json', 'tsconfig.build.json'], () =>
    run('typescript/bin/tsc', ['-p', 'tsconfig.build.json']),
  );
  const packages = ['altcha', 'rapidoc', '@graphql-yoga/render-graphiql'];
  const versions = packages.map((name) => `node_modules/${name}/package.json`);
  step('.assets', versions, () => {
    buildWidget();
    buildViewer();
    buildQueryPage();
  });
  step('.script', ['web/script', 'src/forms', 'src/lib'], buildScript);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) build();
