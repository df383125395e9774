import { setTimeout as pause } from 'node:timers/promises';

const ITEMS = `{ attention(first: 100) {
  edges { node { kind severity summary(language: en) website { name } team { name } } } } }`;

const EVERY_MS = 100;

/** How a list of items compares with the one that is expected: kinds with the name of a website or team. */
const written = (items) =>
  items
    .map(({ kind, place }) => `${kind} ${place}`)
    .sort()
    .join(', ');

/** Reads what needs attention as staff see it, and waits for what is expected. */
export function createWatch(panel) {
  async function items() {
    const { data, errors } = await panel.ask(ITEMS);
    if (errors) throw new Error(JSON.stringify(errors));
    return data.attention.edges.map(({ node: { website, team, ...item } }) => ({
      ...item,
      place: website?.name ?? team?.name ?? 'installation',
    }));
  }

  return {
    items,

    /**
     * Waits until the whole list is as expected.
     *
     * @returns how long it took, and the list; `isRight` is false when the time was over before.
     */
    async until(expected, withinMs) {
      const from = performance.now();
      for (;;) {
        const list = await items();
        const ms = performance.now() - from;
        const isRight = written(list) === written(expected);
        if (isRight || ms > withinMs)
          return { isRight, seconds: ms / 1_000, list, said: written(list) || 'none' };
        await pause(EVERY_MS);
      }
    },
  };
}
