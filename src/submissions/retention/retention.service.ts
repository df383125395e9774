import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Actor } from '../../audit/audit.js';
import type { Db } from '../../db/client.js';
import { RUN_FOR_MS, runPortions } from '../../db/portions.js';
import { lockRow } from '../../db/row-lock.js';
import { conflict, formNotFound } from '../../errors.js';
import { saveFormRetention } from '../../forms/editing/save-form-settings.js';
import type { Clock } from '../../lib/clock.js';
import { contentVersion } from '../../lib/crypto/content-version.js';
import { submissionsExpired } from '../../lib/telemetry/metrics.js';
import { defineJob } from '../../queue/define-job.js';
import { updateTeam } from '../../teams/save-team.js';
import {
  beginRun,
  countAhead,
  countDue,
  type DueCount,
  deletePortion,
  type FormPeriod,
  isRunUnfinished,
  type MonthCount,
  type Portion,
  type Run,
  readLatestRun,
  restartRun,
} from './retention.queries.js';

/** Job that goes on with the deletion of expired submissions, which begins anew each day (UTC). */
export const retentionJob = defineJob('retention', z.object({}));

/** Submissions that one statement reads, and deletes where they are due; it takes some tens of milliseconds. */
const PORTION = 250;

/** Pause after each portion that deleted, so that submissions of visitors have most of PostgreSQL's time. */
const PAUSE_MS = 50;

/** Expired submissions that a preview looks at. */
const COUNTED_EXACTLY = 10_000;

/** For how long leads are tried again that other transactions have locked, since the last one was deleted. */
const TRY_FOR_MS = 10_000;

/** Pause before leads are tried again. */
const RETRY_MS = 500;

/** The periods of a team and of those of its forms that have one of their own. */
export type RetentionSettings = Readonly<{
  /** Null: for ever. */
  retentionMonths: number | null;
  forms: readonly Readonly<{ formId: number; retentionMonths: number }>[];
}>;

export type RetentionPreview = DueCount & Readonly<{ months: MonthCount[] }>;

const FORM = { id: true, name: true, retentionMonths: true } as const;

/** What is due of a form. */
type DueOfForm = DueCount & Readonly<{ team: string; form: string; months: number }>;

type FormOfTeam = Readonly<{ id: number; name: string; retentionMonths: number | null }>;

/** The periods of a team, with a version that every change of them changes. */
type StoredPeriods = Readonly<{ retentionMonths: number | null; forms: FormOfTeam[]; version: string }>;

const withVersion = (retentionMonths: number | null, forms: FormOfTeam[]): StoredPeriods => {
  const periods = forms
    .map(({ id, retentionMonths: own }) => [id, own] as const)
    .sort(([one], [other]) => one - other);
  return {
    retentionMonths,
    forms,
    version: contentVersion([retentionMonths, periods]),
  };
};

/** Lists the forms whose submissions expire, with their periods. */
function periodsOf(forms: readonly FormOfTeam[], settings: RetentionSettings): FormPeriod[] {
  const own = new Map(settings.forms.map(({ formId, retentionMonths }) => [formId, retentionMonths]));
  if (settings.forms.some(({ formId }) => !forms.some(({ id }) => id === formId))) throw formNotFound();
  return forms.flatMap(({ id }) => {
    const months = own.get(id) ?? settings.retentionMonths;
    return months === null ? [] : [{ formId: id, months }];
  });
}

export type Retention = ReturnType<typeof createRetention>;

/** Keeps submissions as long as their team has set, and no longer. */
export function createRetention({ db, panelDb, clock }: { db: Db; panelDb: Db; clock: Clock }) {
  const formsOf = (teamId: number): Promise<FormOfTeam[]> =>
    panelDb.orm.form.findMany({
      where: { teamId },
      select: FORM,
      orderBy: [{ name: 'asc' }, { id: 'asc' }],
    });

  /** Deletes the next portion of the day's run and counts it. */
  async function runPortion(now: Date, limit: number): Promise<Portion> {
    const portion = await deletePortion(db, { now, limit });
    submissionsExpired.inc(portion.deleted);
    return portion;
  }

  /** Runs through all forms once, in turn with workers that do the same. @returns how many it has deleted itself. */
  async function runThrough(now: Date): Promise<number> {
    await beginRun(db, now);
    await restartRun(db, now);
    for (let total = 0; ; ) {
      const { state, deleted } = await runPortion(now, PORTION);
      total += deleted;
      // Without a portion, a worker has one or has ended the run.
      if (state === 'finished' || (state === 'none' && !(await isRunUnfinished(db, now)))) return total;
      if (state === 'none' || deleted > 0) await pause(PAUSE_MS);
    }
  }

  /** Counts what the next deletion takes, form by form, without the forms that keep submissions for ever. */
  async function* dueOfForms(): AsyncGenerator<DueOfForm> {
    const rows = await db.orm.form.findMany({
      select: { ...FORM, slug: true, team: { select: { slug: true, retentionMonths: true } } },
      orderBy: [{ team: { slug: 'asc' } }, { slug: 'asc' }],
    });
    for (const { id, slug, retentionMonths, team } of rows) {
      const months = retentionMonths ?? team.retentionMonths;
      if (months === null) continue;
      const count = await countDue(db, [{ formId: id, months }], { now: clock(), limit: COUNTED_EXACTLY });
      yield { ...count, team: team.slug, form: slug, months };
    }
  }

  return {
    /**
     * Goes on with today's deletion for some seconds, or to its end.
     *
     * @returns how many submissions it has deleted.
     */
    async run(runForMs = RUN_FOR_MS, portion = PORTION): Promise<number> {
      const now = clock();
      await beginRun(db, now);
      let total = 0;
      let deletedBefore = 0;
      await runPortions(
        async () => {
          if (deletedBefore > 0) await pause(PAUSE_MS);
          const { state, deleted } = await runPortion(now, portion);
          total += deleted;
          deletedBefore = deleted;
          return state === 'deleted';
        },
        { runForMs },
      );
      return total;
    },

    /**
     * Deletes all that is due now, whatever today's deletion has done, and beside workers that go on with it.
     *
     * @returns how many submissions it has deleted itself, and how many are due still because other transactions have
     *   had them locked for ten seconds.
     */
    async runAgain(): Promise<{ deleted: number; left: number }> {
      let lastDeletedAt = performance.now();
      for (let total = 0; ; ) {
        const deleted = await runThrough(clock());
        total += deleted;
        if (deleted > 0) lastDeletedAt = performance.now();
        let left = 0;
        for await (const { due } of dueOfForms()) left += due;
        if (left === 0 || performance.now() - lastDeletedAt > TRY_FOR_MS) return { deleted: total, left };
        await pause(RETRY_MS);
      }
    },

    due: dueOfForms,

    /** Reads the latest deletion; null before the first. */
    latestRun: (): Promise<Run | null> => readLatestRun(panelDb),

    /** Reads the periods of a team and all of its forms. */
    async settings(teamId: number): Promise<StoredPeriods> {
      const [team, forms] = await Promise.all([
        panelDb.orm.team.findUniqueOrThrow({ where: { id: teamId }, select: { retentionMonths: true } }),
        formsOf(teamId),
      ]);
      return withVersion(team.retentionMonths, forms);
    },

    /**
     * Counts what settings would delete with the next run, and the leads whose own period ends in each of the next
     * twelve months.
     *
     * @throws 404 when one of the forms is not the team's.
     */
    async preview(teamId: number, settings: RetentionSettings): Promise<RetentionPreview> {
      const periods = periodsOf(await formsOf(teamId), settings);
      const now = clock();
      const [due, months] = await Promise.all([
        countDue(panelDb, periods, { now, limit: COUNTED_EXACTLY }),
        countAhead(panelDb, periods, now),
      ]);
      return { ...due, months };
    },

    /**
     * Saves the periods of a team; its other forms follow it.
     *
     * @param version the version that the settings are a change of; null replaces whatever is stored.
     * @throws 404 when a form is not the team's, 409 when the periods have changed since.
     */
    save: (
      teamId: number,
      settings: RetentionSettings,
      actor: Actor,
      version: string | null = null,
    ): Promise<void> =>
      panelDb.orm.$transaction(async (tx) => {
        // Not more: a save of a form holds its row, and ends with an event that refers to the team.
        await lockRow(tx, 'teams', teamId, 'NO KEY UPDATE');
        const stored = await tx.team.findUniqueOrThrow({ where: { id: teamId } });
        const forms = await tx.form.findMany({ where: { teamId }, select: FORM });
        periodsOf(forms, settings);
        if (version !== null && version !== withVersion(stored.retentionMonths, forms).version)
          throw conflict('The periods have changed since they were read.');
        const own = new Map(settings.forms.map(({ formId, retentionMonths }) => [formId, retentionMonths]));
        const { retentionMonths } = settings;
        await updateTeam(tx, stored, { retentionMonths }, actor);
        for (const { id } of forms) {
          await saveFormRetention(tx, teamId, { formId: id, retentionMonths: own.get(id) ?? null }, actor);
        }
      }),
  };
}
