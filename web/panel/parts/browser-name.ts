/** What a browser calls itself, the more particular names first: most claim to be Chrome and Safari too. */
const BROWSERS = [
  [/Firefox\//, 'Firefox'],
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

const named = (names: readonly (readonly [RegExp, string])[], userAgent: string) =>
  names.find(([pattern]) => pattern.test(userAgent))?.[1];

/** Names browser and system of a `User-Agent`; null when it is not that of a browser. */
export function browserOf(userAgent: string | null): string | null {
  const browser = userAgent && named(BROWSERS, userAgent);
  if (!browser) return null;
  const system = named(SYSTEMS, userAgent);
  return system ? `${browser}, ${system}` : browser;
}
