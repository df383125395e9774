import { Prisma } from '../../generated/prisma/client.js';
import { needsAttentionAt } from '../health/health.queries.js';

const { sql } = Prisma;

/** What the list of websites is narrowed by; null matches any. */
export type WebsiteConditions = Readonly<{
  locale: string | null;
  disabled: boolean | null;
  needsAttention: boolean | null;
}>;

/** Returns the conditions that the list's websites meet. */
export function conditionsOf(wanted: WebsiteConditions, now: Date): Prisma.Sql[] {
  const { locale, disabled, needsAttention } = wanted;
  const attention = needsAttentionAt(now);
  return [
    ...(locale === null ? [] : [sql`locale = ${locale}`]),
    ...(disabled === null ? [] : [sql`disabled = ${disabled}`]),
    ...(needsAttention === null ? [] : [needsAttention ? attention : sql`NOT ${attention}`]),
  ];
}
