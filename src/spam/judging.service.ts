import { setImmediate as nextTurn } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import { createBatchedWrite } from '../db/batched-write.js';
import type { Db } from '../db/client.js';
import { isDatabaseAway } from '../db/database-errors.js';
import type { OlderProcesses } from '../db/older-processes.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { releaseDeliveries } from '../webhooks/outbox.queries.js';
import { type FeatureCount, featuresOf, logOddsOf, SAMPLES } from './classifier.js';
import {
  addTraces,
  countElsewhere,
  findLogIds,
  findRules,
  type Judgeable,
  type RecordedVerdict,
  readFeatures,
  readJudgeable,
  recordVerdicts,
} from './judging.queries.js';
import { type Message, readMessage } from './message.js';
import { modelOdds } from './model/model.js';
import { matchRules, type RuleMatch, sendersOf } from './rules/match-rules.js';
import type { SeenElsewhere } from './signals/signal.js';
import { type Trace, tracesOf } from './traces.js';
import { judge } from './verdict.js';

type Services = { db: Db; olderProcesses: OlderProcesses; log: Logger };

/** Works on each submission in a turn of the event loop of its own: what was made to cost much takes some 30 ms. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(work(item));
    await nextTurn();
  }
  return results;
}

export type Judging = ReturnType<typeof createJudging>;

type Read = Readonly<{ submission: Judgeable; message: Message; traces: Trace[]; features: number[] }>;

const read = (submission: Judgeable): Read => {
  const message = readMessage(submission, submission.fields);
  return { submission, message, traces: tracesOf(message), features: featuresOf(message) };
};

/**
 * Judges submissions before their e-mails go. Concurrent calls are micro-batched. While an upgrade has processes of an
 * older version running, what looks like spam is marked and mailed.
 */
export function createJudging({ db, olderProcesses, log }: Services) {
  const logError = limitLog(log, 'error');

  /** Reads on how many other websites a day has seen what each submission says. */
  async function lookElsewhere(all: readonly Read[]): Promise<(each: Read) => SeenElsewhere> {
    const traced = all.map(({ submission: { id, websiteId }, traces }) => ({
      id,
      websiteId,
      hashes: traces.map(({ hash }) => hash),
    }));
    await addTraces(db, traced);
    const counts = new Map(
      (await countElsewhere(db, traced)).map(({ id, hash, websites }) => [`${id} ${hash}`, websites]),
    );
    return ({ submission: { id }, traces }) => {
      const most = (kind: Trace['kind']) =>
        Math.max(
          0,
          ...traces.filter((each) => each.kind === kind).map(({ hash }) => counts.get(`${id} ${hash}`) ?? 0),
        );
      return { text: most('text'), email: most('email'), phone: most('phone'), link: most('link') };
    };
  }

  async function matchTeamRules(all: readonly Read[]): Promise<(each: Read) => RuleMatch> {
    const teamIds = [...new Set(all.map(({ submission: { teamId } }) => teamId))];
    const senders = [...new Set(all.flatMap(({ message }) => sendersOf(message.emails)))];
    const rules = await findRules(db, teamIds, senders);
    return ({ submission: { teamId }, message }) =>
      matchRules(
        rules.filter((rule) => rule.teamId === teamId),
        message,
      );
  }

  async function askClassifier(all: readonly Read[]): Promise<(each: Read) => number | null> {
    const asked = [...new Set([SAMPLES, ...all.flatMap(({ features }) => features)])];
    const counts = new Map((await readFeatures(db, asked)).map((count) => [count.feature, count]));
    const samples: FeatureCount = counts.get(SAMPLES) ?? { feature: SAMPLES, spam: 0, leads: 0 };
    return ({ features }) =>
      logOddsOf(
        features.flatMap((feature) => counts.get(feature) ?? []),
        samples,
      );
  }

  async function judgeAll(all: readonly Read[]): Promise<RecordedVerdict[]> {
    const [mayWithhold, seenElsewhere, matchOf, logOdds] = await Promise.all([
      olderProcesses.run().then((doRun) => !doRun),
      lookElsewhere(all),
      matchTeamRules(all),
      askClassifier(all),
    ]);
    const judged = await inTurns(all, (each): RecordedVerdict[] => {
      const { isTrusted, blocked } = matchOf(each);
      if (isTrusted) return [];
      const evidence = {
        seenElsewhere: seenElsewhere(each),
        blocked,
        logOdds: logOdds(each),
        signatureAgeS: each.submission.signatureAgeS,
        modelOdds: modelOdds(each.message),
      };
      const { score, reasons } = judge(each.message, evidence);
      const { id, threshold } = each.submission;
      // The panel of an older process would fail on a withheld e-mail.
      const filter = mayWithhold ? each.submission.filter : 'mark';
      const isWithheld = filter === 'quarantine' && score >= threshold;
      return score > 0 ? [{ id, eventId: uuid(), score, threshold, filter, isWithheld, reasons }] : [];
    });
    return judged.flat();
  }

  const logWithheld = ({ id, requestId, websiteId }: Judgeable) =>
    log.info({ requestId, leadId: id, websiteId, state: 'withheld' }, 'Notification withheld');

  const withhold = createBatchedWrite<string, boolean>({
    keyOf: (id) => id,
    async run(ids) {
      const all = await inTurns(await readJudgeable(db, ids), read);
      const verdicts = all.length > 0 ? await judgeAll(all) : [];
      const withheld = new Set(verdicts.length > 0 ? await recordVerdicts(db, verdicts) : []);
      const passed = all.flatMap(({ submission: { id } }) => (withheld.has(id) ? [] : id));
      if (passed.length > 0) await releaseDeliveries(db, passed);
      for (const { submission } of all) if (withheld.has(submission.id)) logWithheld(submission);
      return ids.map((id) => withheld.has(id));
    },
  });

  return {
    /**
     * Judges a submission whose e-mail is about to go, and withholds the e-mail of spam. What is not to be judged, or
     * was judged before, passes.
     *
     * A fault in the judging lets the e-mail go: no lead is lost to it.
     *
     * @returns whether the e-mail is withheld now.
     * @throws when PostgreSQL is away.
     */
    async withholdIfSpam(submissionId: string): Promise<boolean> {
      try {
        return await withhold(submissionId);
      } catch (error) {
        if (isDatabaseAway(error)) throw error;
        logError(error, 'Submission not judged', await findLogIds(db, submissionId));
        return false;
      }
    },
  };
}
