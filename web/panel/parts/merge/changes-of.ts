import { isSame } from './same.js';

/**
 * Returns what of some settings is another than before: only that is sent, so that a colleague's other change stays.
 */
export const changesOf = <Settings extends object>(before: Settings, after: Settings): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !isSame(value, before[name as keyof Settings])),
  ) as Partial<Settings>;
