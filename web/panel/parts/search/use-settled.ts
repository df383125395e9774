import { useEffect, useState } from 'react';

/** How long a value must stay the same, in milliseconds. */
const PAUSE_MS = 300;

/** Returns a value once it has stayed the same for a while; the first one at once. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
