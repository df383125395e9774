import { z } from 'zod';
import type { Database } from '../lib/prisma.js';
import { defineJob } from '../queue/define-job.js';

/** Sort what is new into the indexes of the inbox search. */
export const sortSearchIndexJob = defineJob('submissions-sort-search-index', z.object({}));

/**
 * Sorts what has gathered into the search indexes, so that no submission has to do it and a search need not read
 * through it. Returns how many pages of the lists were cleared.
 */
export async function sortSearchIndex(db: Pick<Database, '$queryRaw'>): Promise<number> {
  const [row] = await db.$queryRaw<{ pages: number }[]>`
    SELECT (gin_clean_pending_list('submissions_search_idx')
          + gin_clean_pending_list('submissions_emails_idx'))::int AS pages`;
  return row?.pages ?? 0;
}
