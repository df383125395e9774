/** Returns an absolute http or https address as it was given, or null for anything else. */
export function httpUrlOrNull(address: string | null | undefined): string | null {
  if (!address || !/^https?:\/\//i.test(address)) return null;
  return URL.canParse(address) ? address : null;
}
