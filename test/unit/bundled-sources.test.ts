import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';

/** By its address, because a script has no types. */
const { BUNDLED } = await import(pathToFileURL('scripts/build.js').href);

/** Names the files of the repository that a bundle is made of. */
async function filesOf(entryPoints: string[]): Promise<string[]> {
  const { metafile } = await build({
    entryPoints,
    outdir: 'unwritten',
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    logLevel: 'error',
  });
  return Object.keys(metafile.inputs);
}

test.each([
  ['panel', ['web/panel/main.tsx'], 'src/webhooks/webhook-limits.ts'],
  ['script', ['classic', 'module', 'preview'].map((name) => `web/script/${name}.ts`), 'web/script/style.css'],
])('a change of any file that the %s bundles has it built again', async (name, entryPoints, one) => {
  const files = await filesOf(entryPoints);
  expect(files).toContain(one);
  const isWatched = (file: string) => BUNDLED[name].some((folder: string) => file.startsWith(`${folder}/`));
  expect(files.filter((file) => !isWatched(file))).toEqual([]);
});
