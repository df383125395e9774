/** Returns the viewer's language where the installation offers it, else the first that it offers. */
export const offeredLocale = (offered: readonly string[], viewer: string): string =>
  offered.find((one) => viewer.startsWith(one)) ?? offered[0] ?? 'en';
