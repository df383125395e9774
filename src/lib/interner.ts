/**
 * Makes one of things that are equal, so that each is in memory once for as long as anyone keeps it. The things are not
 * to be changed.
 *
 * @returns `share`, which gives the thing that is known under a key, else makes this one known. Equal things must have
 * equal keys, and others must not.
 */
export function createInterner<Thing extends object>(): (key: string, thing: Thing) => Thing {
  const known = new Map<string, WeakRef<Thing>>();
  const collected = new FinalizationRegistry<string>((key) => {
    // Meanwhile another may be known under the key.
    if (!known.get(key)?.deref()) known.delete(key);
  });
  return (key, thing) => {
    const same = known.get(key)?.deref();
    if (same) return same;
    known.set(key, new WeakRef(thing));
    collected.register(thing, key);
    return thing;
  };
}
