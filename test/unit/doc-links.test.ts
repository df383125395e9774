import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const documents = ['.', 'docs', 'docs/decisions', 'examples', 'bench', 'faults'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

/** What is written in a document, but for its examples. */
const prose = (path: string) =>
  readFileSync(join(ROOT, path), 'utf8')
    .replace(/^```.*?^```$/gms, '')
    .replace(/^ {4}.*$/gm, '');

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (path: string) =>
  [...prose(path).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test.each(documents)('the links of %s resolve', (path) => {
  const targets = [...prose(path).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target));
  const broken = targets.filter((target) => {
    const [file, anchor] = target.split('#');
    const found = file ? join(dirname(path), file) : path;
    if (!existsSync(join(ROOT, found))) return true;
    return anchor !== undefined && !anchorsOf(found).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test.each(documents.filter((path) => /^docs\/(architecture|decisions\/)/.test(path)))(
  'the files that %s names exist',
  (path) => {
    const named = [...prose(path).matchAll(/`([\w./-]+\.ts|(?:[\w-]+\/)+)`/g)].map(([, name]) => name!);
    const places = ['src', 'web', 'test', 'prisma', 'bench', 'faults', 'docs'].flatMap((folder) => [
      `/${folder}/`,
      ...readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }).map(
        (entry) =>
          `${join('/', relative(ROOT, entry.parentPath), entry.name)}${entry.isDirectory() ? '/' : ''}`,
      ),
    ]);
    expect(named.filter((name) => !places.some((place) => place.endsWith(`/${name}`)))).toEqual([]);
  },
);

test('every comment that refers to the guide names one of its headings', () => {
  const headings = [...prose('docs/integrators.md').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
  const sources = ['src', 'web'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
      .map((path) => readFileSync(join(ROOT, folder, path), 'utf8')),
  );
  const named = [...sources.join('\n').matchAll(/\(guide: ([^)]+)\)/g)].map(([, heading]) => heading);
  expect(named.length).toBeGreaterThan(0);
  expect(headings).toEqual(expect.arrayContaining(named));
});

test('the documents are found', () => {
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/integrators.md']));
});
