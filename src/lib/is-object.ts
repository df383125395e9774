/** Tells whether a value of unchecked JSON is an object: no array, and not null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a value of unchecked JSON when it is an object, or else an empty one. */
export const objectOrEmpty = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
