import { isObject } from '../../../../src/lib/is-object.js';
import { isSame } from './same.js';

/** How the parts of a value are told apart. What has no shape is one thing, changed as a whole. */
export type Shape =
  | Readonly<{ kind: 'record'; parts: Readonly<Record<string, Shape>> }>
  | Readonly<{ kind: 'list'; key: string; entry: Shape }>;

/** Stands in a path for the order of a list. */
export const ORDER = '#order';

/** What two have changed differently: names from the whole inwards, and the values; undefined is not there. */
export type Collision = Readonly<{
  path: readonly string[];
  base: unknown;
  mine: unknown;
  theirs: unknown;
}>;

export type Side = 'mine' | 'theirs';

/** Decides a collision by its path, as `pathKey` writes it. */
export type Choices = Readonly<Record<string, Side>>;

export const pathKey = (path: readonly string[]): string => JSON.stringify(path);

export type Sides<Value> = Readonly<{ base: Value; mine: Value; theirs: Value }>;

type Entry = Readonly<Record<string, unknown>>;

const isList = (value: unknown): value is readonly Entry[] => Array.isArray(value);

/** Inserts what only the second order has behind what stands before it there. */
function withOthers(
  order: readonly string[],
  second: readonly string[],
  kept: ReadonlySet<string>,
): string[] {
  const merged = order.filter((key) => kept.has(key));
  for (const [index, key] of second.entries()) {
    if (!kept.has(key) || merged.includes(key)) continue;
    const before = second.slice(0, index).findLast((one) => merged.includes(one));
    merged.splice(before === undefined ? 0 : merged.indexOf(before) + 1, 0, key);
  }
  return merged;
}

/**
 * Merges two changes of a base: changes of different parts do not collide.
 *
 * @param choices Which side holds where both have changed the same; mine where none is given.
 * @returns what both have changed, and each collision, decided or not.
 */
export function merge<Value extends object>(
  shape: Shape,
  { base, mine, theirs }: Sides<Value>,
  choices: Choices = {},
): { merged: Value; collisions: Collision[] } {
  const collisions: Collision[] = [];

  function collide<Value>(path: readonly string[], sides: Sides<Value>): Value {
    collisions.push({ path, ...sides });
    return sides[choices[pathKey(path)] ?? 'mine'];
  }

  function mergeValue(shape: Shape | undefined, path: readonly string[], sides: Sides<unknown>): unknown {
    const { base, mine, theirs } = sides;
    if (isSame(mine, theirs) || isSame(base, theirs)) return mine;
    if (isSame(base, mine)) return theirs;
    if (shape?.kind === 'record' && isObject(mine) && isObject(theirs)) {
      return mergeRecord(shape.parts, path, { base: isObject(base) ? base : {}, mine, theirs });
    }
    if (shape?.kind === 'list' && isList(mine) && isList(theirs)) {
      return mergeList(shape, path, { base: isList(base) ? base : [], mine, theirs });
    }
    return collide(path, sides);
  }

  function mergeRecord(
    parts: Readonly<Record<string, Shape>>,
    path: readonly string[],
    sides: Sides<Entry>,
  ): Entry {
    const { base, mine, theirs } = sides;
    const keys = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
    const merged = [...keys].map((key): [string, unknown] => {
      const own = <Value extends Entry>(side: Value) => (Object.hasOwn(side, key) ? side[key] : undefined);
      const values = { base: own(base), mine: own(mine), theirs: own(theirs) };
      return [key, mergeValue(Object.hasOwn(parts, key) ? parts[key] : undefined, [...path, key], values)];
    });
    return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
  }

  function mergeList(
    { key, entry }: Extract<Shape, { kind: 'list' }>,
    path: readonly string[],
    sides: Sides<readonly Entry[]>,
  ): Entry[] {
    const keyed = (side: readonly Entry[]) => new Map(side.map((one) => [String(one[key]), one]));
    const entries = { base: keyed(sides.base), mine: keyed(sides.mine), theirs: keyed(sides.theirs) };
    const merged = new Map<string, Entry>();
    for (const name of new Set([...entries.mine.keys(), ...entries.theirs.keys()])) {
      const values = {
        base: entries.base.get(name),
        mine: entries.mine.get(name),
        theirs: entries.theirs.get(name),
      };
      const value = mergeValue(entry, [...path, name], values);
      if (value !== undefined) merged.set(name, value as Entry);
    }
    return mergeOrder(path, entries, merged).map((name) => merged.get(name)!);
  }

  /** Merges the order of a list: that of the side which has moved entries, with those that the other has added. */
  function mergeOrder(
    path: readonly string[],
    { base, mine, theirs }: Sides<ReadonlyMap<string, Entry>>,
    merged: ReadonlyMap<string, Entry>,
  ): string[] {
    const kept = new Set(merged.keys());
    const shared = (side: ReadonlyMap<string, Entry>) =>
      [...side.keys()].filter((name) => base.has(name) && mine.has(name) && theirs.has(name));
    const orders = { base: shared(base), mine: shared(mine), theirs: shared(theirs) };
    const names = { mine: [...mine.keys()], theirs: [...theirs.keys()] };
    const haveBothMoved =
      !isSame(orders.mine, orders.base) &&
      !isSame(orders.theirs, orders.base) &&
      !isSame(orders.mine, orders.theirs);
    const chosen = haveBothMoved ? collide([...path, ORDER], orders) : null;
    const isTheirs = chosen ? chosen === orders.theirs : isSame(orders.mine, orders.base);
    return isTheirs ? withOthers(names.theirs, names.mine, kept) : withOthers(names.mine, names.theirs, kept);
  }

  const merged = mergeValue(shape, [], { base, mine, theirs }) as Value;
  return { merged, collisions };
}
