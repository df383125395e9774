import type { Db } from '../db/client.js';
import type { SpamVerdict } from '../generated/prisma/client.js';
import { isSignalName, SIGNALS } from './signals/signals.js';
import type { Reason } from './verdict.js';

/** A reason with its sentences. */
export type ListedReason = Readonly<{ signal: string; points: number; en: string; fr: string }>;

export type ListedVerdict = Omit<SpamVerdict, 'reasons'> &
  Readonly<{
    reasons: ListedReason[];
    /** The reason with the most points; null where none speaks for spam. */
    heaviest: ListedReason | null;
  }>;

/** Writes a reason in words. One of a signal that this version does not have is named by it. */
function reasonInWords({ signal, points, count, detail }: Reason): ListedReason {
  const sentence = isSignalName(signal) ? SIGNALS[signal].sentence : { en: signal, fr: signal };
  const fill = (text: string) =>
    text.replace('{count}', String(count)).replace('{detail}', () => detail ?? '');
  return { signal, points, en: fill(sentence.en), fr: fill(sentence.fr) };
}

/** Writes the reasons of a verdict in words. */
export function inWords(verdict: SpamVerdict): ListedVerdict {
  const reasons = (verdict.reasons as Reason[]).map(reasonInWords);
  return { ...verdict, reasons, heaviest: reasons.find(({ points }) => points > 0) ?? null };
}

export type SpamVerdicts = ReturnType<typeof createSpamVerdicts>;

/** Reads how submissions were judged. The caller has checked that the viewer may see them. */
export function createSpamVerdicts({ db }: { db: Db }) {
  return {
    /** Reads the verdicts about submissions, in the order of the ids; null where nothing spoke for spam. */
    async bySubmissions(ids: readonly string[]): Promise<(ListedVerdict | null)[]> {
      const rows = await db.orm.spamVerdict.findMany({ where: { submissionId: { in: [...ids] } } });
      const byId = new Map(rows.map((row) => [row.submissionId, row]));
      return ids.map((id) => {
        const row = byId.get(id);
        return row ? inWords(row) : null;
      });
    },
  };
}
