/** Returns an absolute http or https address as it was given, or null for anything else. */
export function httpUrlOrNull(address: string | null | undefined): string | null {
  if (!address || !/^https?:\/\//i.test(address)) return null;
  return URL.canParse(address) ? address : null;
}

/** The most characters that an address in a form or a setting may have. */
export const MAX_URL_LENGTH = 2048;

/** Tells whether an address may be set: absolute, http or https, without white space. */
export const isHttpUrl = (address: string): boolean =>
  /^https?:\/\/\S+$/i.test(address) && URL.canParse(address);
