/**
 * Interns values, so that equal ones are in memory once for as long as one of them is referenced. They are immutable.
 *
 * @returns the function that returns the value interned under a key, or else interns this one. Equal values must have
 * equal keys, and others must not.
 */
export function createInterner<Thing extends object>(): (key: string, thing: Thing) => Thing {
  const known = new Map<string, WeakRef<Thing>>();
  const collected = new FinalizationRegistry<string>((key) => {
    // Another value may have been interned under the key meanwhile.
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
