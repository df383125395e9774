/** The id of a website, as a search parameter. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The number of a form, team or account, as a search parameter. */
export const NUMBER = /^[1-9]\d{0,8}$/;

/** Reads a search parameter that is one of some words; undefined where it is none of them. */
export const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((one) => one === value);

/** Reads a search parameter that is a text like a pattern; undefined where it is not. */
export const matching = (pattern: RegExp, value: unknown): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined;

/** Reads a search parameter that is a text; undefined where it is not given. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
