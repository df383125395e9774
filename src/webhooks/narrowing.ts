import type { Db, Transaction } from '../db/client.js';
import { invalid } from '../errors.js';
import type { Webhook } from '../generated/prisma/client.js';

/** The websites and forms whose events alone an endpoint is told of; none: of all. */
type Narrowing = Pick<Webhook, 'websiteIds' | 'formIds'>;

/** A website or form that an endpoint is narrowed to; without a name it has been deleted. */
type NarrowedTo<Id> = Readonly<{ id: Id; name: string | null }>;

function requireAll<Id>(field: string, ids: readonly Id[], rows: readonly Readonly<{ id: Id }>[]): void {
  const own = new Set(rows.map(({ id }) => id));
  const foreign = ids.filter((id) => !own.has(id));
  if (foreign.length > 0) throw invalid({ [field]: [`is not of this team: ${foreign.join(', ')}`] });
}

/** Requires that websites and forms are the team's, or are kept, since those may have been deleted. @throws 422. */
export async function requireOwn(
  db: Db,
  teamId: number,
  settings: Narrowing,
  kept: Narrowing = { websiteIds: [], formIds: [] },
): Promise<void> {
  const websiteIds = settings.websiteIds.filter((id) => !kept.websiteIds.includes(id));
  const formIds = settings.formIds.filter((id) => !kept.formIds.includes(id));
  const select = { id: true } as const;
  const [websites, forms] = await Promise.all([
    db.orm.website.findMany({ where: { teamId, id: { in: websiteIds } }, select }),
    db.orm.form.findMany({ where: { teamId, id: { in: formIds } }, select }),
  ]);
  requireAll('input.websiteIds', websiteIds, websites);
  requireAll('input.formIds', formIds, forms);
}

/** Names ids by the rows of a team; those without a row have no name. */
function nameOf<Id>(
  ids: readonly Id[],
  rows: readonly Readonly<{ id: Id; teamId: number; name: string }>[],
  teamId: number,
): NarrowedTo<Id>[] {
  const names = new Map(rows.filter((row) => row.teamId === teamId).map(({ id, name }) => [id, name]));
  return ids.map((id) => ({ id, name: names.get(id) ?? null }));
}

/** Reads the names of what endpoints are narrowed to, in the order of the endpoints. */
export async function findNarrowings(
  orm: Transaction,
  webhooks: readonly (Narrowing & Pick<Webhook, 'teamId'>)[],
) {
  const named = { id: true, teamId: true, name: true } as const;
  const [websites, forms] = await Promise.all([
    orm.website.findMany({
      where: { id: { in: webhooks.flatMap(({ websiteIds }) => websiteIds) } },
      select: named,
    }),
    orm.form.findMany({
      where: { id: { in: webhooks.flatMap(({ formIds }) => formIds) } },
      select: named,
    }),
  ]);
  return webhooks.map(({ teamId, websiteIds, formIds }) => ({
    websites: nameOf(websiteIds, websites, teamId),
    forms: nameOf(formIds, forms, teamId),
  }));
}
