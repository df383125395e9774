import type { TextId } from '../../texts/text-id.js';

/**
 * Finds the text for a conflict that no other change has caused, by the gateway's sentence: a limit that is reached,
 * an earlier operation that still runs, or teams that would have no owner.
 *
 * @returns null when another change may have caused it.
 */
export function textOfConflict(message: string): { id: TextId; limit?: number; teams?: string } | null {
  const limit = /^An? \w+ has ([\d,]+) .* at most\./.exec(message)?.[1];
  if (limit) return { id: 'error.full', limit: Number(limit.replaceAll(',', '')) };
  const teams = /only owner of: (.*)\. Appoint/.exec(message)?.[1];
  if (teams) return { id: 'error.onlyOwner', teams };
  return /try again in a moment\.$/i.test(message) ? { id: 'error.busy' } : null;
}
