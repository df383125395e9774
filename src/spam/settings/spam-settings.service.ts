import type { Actor } from '../../audit/audit.js';
import type { Db } from '../../db/client.js';
import { teamNotFound } from '../../errors.js';
import { saveFormFilter } from '../../forms/editing/save-form-settings.js';
import type { Form, SpamFilter } from '../../generated/prisma/client.js';
import type { Clock } from '../../lib/clock.js';
import { DAY_MS } from '../../lib/durations.js';
import { type SpamChanges, saveSpamSettings } from './save-spam-settings.js';
import { type Effect, readEffect } from './spam-settings.queries.js';

/** The period that a threshold is tried on, in days. */
const TRIED_DAYS = 30;

/** How a team wants spam to be handled. */
export type SpamSettings = Readonly<{
  teamId: number;
  filter: SpamFilter;
  threshold: number;
  /** Days after which spam is deleted; null: never. */
  keptDays: number | null;
}>;

export type SpamSettingsStore = ReturnType<typeof createSpamSettings>;

/** Keeps how teams and forms want spam to be handled. */
export function createSpamSettings({ db, clock }: { db: Db; clock: Clock }) {
  async function find(teamId: number): Promise<SpamSettings> {
    const team = await db.orm.team.findUnique({ where: { id: teamId } });
    if (!team) throw teamNotFound();
    return {
      teamId,
      filter: team.spamFilter,
      threshold: team.spamThreshold,
      keptDays: team.spamKeptDays,
    };
  }

  return {
    /** Reads a team's settings. @throws 404 when there is no such team. */
    find,

    /** Changes those of a team's settings that are given. */
    async update(teamId: number, wanted: SpamChanges, actor: Actor): Promise<SpamSettings> {
      await db.orm.$transaction((tx) => saveSpamSettings(tx, teamId, wanted, actor));
      return find(teamId);
    },

    /** Reads the team of a form and the form's own filter; null when there is no such form. */
    findForm: (formId: number): Promise<{ teamId: number; spamFilter: SpamFilter | null } | null> =>
      db.orm.form.findUnique({ where: { id: formId }, select: { teamId: true, spamFilter: true } }),

    /** Gives a form a filter of its own; null: that of its team. */
    setFormFilter: (formId: number, filter: SpamFilter | null, actor: Actor): Promise<Form> =>
      db.orm.$transaction(async (tx) => {
        await saveFormFilter(tx, { formId, filter }, actor);
        return tx.form.findUniqueOrThrow({ where: { id: formId } });
      }),

    /** Reads the filters of forms, in the order of their ids. */
    async formFilters(formIds: readonly number[]): Promise<(SpamFilter | null)[]> {
      const rows = await db.orm.form.findMany({
        where: { id: { in: [...formIds] } },
        select: { id: true, spamFilter: true },
      });
      const byId = new Map(rows.map(({ id, spamFilter }) => [id, spamFilter]));
      return formIds.map((id) => byId.get(id) ?? null);
    },

    /** Counts what a threshold would have done to a team's submissions of the last thirty days. */
    effect: (teamId: number, threshold: number): Promise<Effect> =>
      readEffect(db, teamId, threshold, new Date(clock().getTime() - TRIED_DAYS * DAY_MS)),
  };
}
