import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const require = createRequire(import.meta.url);
// The first module that a worker loads may have decorators, whose polyfill the program itself loads first.
require('reflect-metadata');
const own = readFileSync(fileURLToPath(import.meta.url));

/** The file that Node loads: of a source of ours the module that the build has made of it. */
const loadedFor = (path) =>
  path.endsWith('.ts')
    ? join(root, 'dist/modules', relative(join(root, 'src'), path)).replace(/\.ts$/, '.js')
    : path;

/**
 * Has a test import what Node itself has loaded, once for all files that a worker of Jest runs, instead of a copy that
 * Jest loads for each file, whose code is never warm. For the modules of `src` and those of packages.
 */
export default {
  getCacheKey(_source, path, { supportsStaticESM, supportsDynamicImport }) {
    const kind = JSON.stringify([path, supportsStaticESM, supportsDynamicImport]);
    return createHash('sha256')
      .update(own)
      .update(kind)
      .update(readFileSync(loadedFor(path)))
      .digest('hex');
  },
  process(source, path, { supportsStaticESM, supportsDynamicImport }) {
    // What Jest loads outside of tests, as the global set-up, is loaded by Node already.
    if (!supportsDynamicImport) return { code: source };
    const file = loadedFor(path);
    const loaded = `requireByNode(${JSON.stringify(file)})`;
    if (!supportsStaticESM) return { code: `module.exports = ${loaded};` };
    const exported = Object.keys(require(file)).map((name, index) =>
      name === 'default'
        ? 'export default module.default;'
        : `const _${index} = module.${name}; export { _${index} as ${name} };`,
    );
    return { code: [`const module = ${loaded};`, ...exported].join('\n') };
  },
};
