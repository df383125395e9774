import type { useText } from '../../../language.js';

type Listed = Readonly<{ items: readonly unknown[]; total: number }>;

/** Says that a table has the first of more rows; undefined where it has all. */
export const firstOf = ({ items, total }: Listed, t: ReturnType<typeof useText>): string | undefined =>
  items.length < total ? t('stats.first', { shown: items.length, total }) : undefined;
