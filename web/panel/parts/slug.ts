const SLUG = /^[A-Za-z0-9_-]{1,100}$/;

/** Whether a text can be a slug. */
export const isSlug = (text: string): boolean => SLUG.test(text);

/** Proposes a slug for a name: its letters and digits without accents, joined by hyphens. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100);
