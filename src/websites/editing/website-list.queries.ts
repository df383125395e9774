import { Prisma } from '../../generated/prisma/client.js';

const { sql } = Prisma;

/** What the list of websites is narrowed by; null matches any. */
export type WebsiteConditions = Readonly<{
  locale: string | null;
  disabled: boolean | null;
  needsAttention: boolean | null;
}>;

/** Returns the conditions that the list's websites meet. `troubled` are the ids of those that need attention. */
export function conditionsOf(wanted: WebsiteConditions, troubled: readonly string[]): Prisma.Sql[] {
  const { locale, disabled, needsAttention } = wanted;
  const attention = sql`id = ANY (${[...troubled]}::uuid[])`;
  return [
    ...(locale === null ? [] : [sql`locale = ${locale}`]),
    ...(disabled === null ? [] : [sql`disabled = ${disabled}`]),
    ...(needsAttention === null ? [] : [needsAttention ? attention : sql`NOT ${attention}`]),
  ];
}
