/**
 * Splits e-mail addresses that are typed or pasted: one a line, or with commas and semicolons between them. Spaces
 * separate them only where each part looks like an address.
 */
export const addressesOf = (text: string): string[] =>
  text
    .split(/[\n,;]+/)
    .flatMap((line) => {
      const parts = line.trim().split(/\s+/);
      return parts.every((part) => part.includes('@')) ? parts : [line.trim()];
    })
    .filter(Boolean);
