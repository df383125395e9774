import { readAttention } from '../../src/attention/attention.service.js';
import type { AttentionItem, AttentionKind } from '../../src/attention/attention-item.js';
import type { Services } from '../../src/services.js';

/** Reads what needs attention in some teams, or in the whole installation. A check that fails fails the test. */
export const attentionOf = async (
  { db }: Pick<Services, 'db'>,
  {
    teamIds = null,
    kinds = null,
    now = new Date(),
  }: { teamIds?: readonly number[] | null; kinds?: AttentionKind[] | null; now?: Date } = {},
): Promise<AttentionItem[]> => {
  const logError = (error: unknown) => {
    throw error;
  };
  return (await readAttention({ db, logError }, { teamIds, kinds, now })).items;
};
