import { readFileSync } from 'node:fs';

/**
 * A block of commands in a document. Those of the kind `root` change the system itself; `settings` are the variables of
 * the others.
 */
export type Block = Readonly<{ heading: string; kind: '' | 'root' | 'settings'; text: string }>;

/** Reads the blocks that begin with three backticks and `sh`, in order. */
export function readBlocks(path: string): Block[] {
  const found = readFileSync(path, 'utf8').matchAll(/^#+ ([^\n]+)$|^```sh ?(\w*)\n(.*?)^```$/gms);
  let heading = '';
  const blocks: Block[] = [];
  for (const [, title, kind, text] of found) {
    if (title !== undefined) heading = title;
    else blocks.push({ heading, kind: kind as Block['kind'], text: text! });
  }
  return blocks;
}
