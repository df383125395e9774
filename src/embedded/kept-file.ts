import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartError } from '../errors.js';

/**
 * Reads the text of a file that only this account may read, and generates it the first time. Processes that
 * start together agree on one text, and a kill at any moment leaves a whole file or none.
 *
 * @throws StartError when the file's text does not match the pattern.
 */
export async function keepOnce(file: string, draw: () => string, pattern: RegExp): Promise<string> {
  const text = await readOrDraw(file, draw);
  if (!pattern.test(text)) {
    throw new StartError(`${file} is damaged. Restore it, or remove it if its loss does not matter.`);
  }
  return text;
}

async function readOrDraw(file: string, draw: () => string): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  // Not the process id, which two containers on one folder have in common.
  const draft = `${file}.${randomUUID()}`;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  try {
    await writeFile(draft, draw(), { mode: 0o600, flag: 'wx' });
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return await readFile(file, 'utf8');
  } finally {
    await rm(draft, { force: true });
  }
}
