import type { Db } from '../db/client.js';

/** A website and the kind of its items that are set aside. */
type SetAsideKey = Readonly<{ websiteId: string; kind: string }>;

/** Reads what is set aside at a moment. */
export const readSetAsides = (db: Db, now: Date): Promise<SetAsideKey[]> =>
  db.orm.setAside.findMany({ where: { until: { gt: now } }, select: { websiteId: true, kind: true } });
