import { type Actor, recordAudit } from '../audit/audit.js';
import type { Db, Transaction } from '../db/client.js';
import { teamNotFound } from '../errors.js';
import { viewEnded } from './view-ended.js';

type View = Readonly<{ sessionId: string; userId: number }>;

export type ViewAs = ReturnType<typeof createViewAs>;

/** Lets staff look at the panel as an owner of a team does, for as long as their session or until they end it. */
export function createViewAs({ db }: { db: Db }) {
  /** Ends the view of a session, within the caller's transaction. @returns whether there was one. */
  async function endWithin(tx: Transaction, { sessionId }: View, actor: Actor): Promise<boolean> {
    const session = await tx.session.findUnique({ where: { id: sessionId } });
    const teamId = session?.viewAsTeamId ?? null;
    if (teamId === null) return false;
    const { count } = await tx.session.updateMany({
      where: { id: sessionId, viewAsTeamId: teamId },
      data: { viewAsTeamId: null },
    });
    if (count > 0) await recordAudit(tx, actor, viewEnded(teamId));
    return count > 0;
  }

  return {
    /**
     * Begins to look at the panel as an owner of a team.
     *
     * @throws 404 for no team.
     */
    begin: (view: View, teamId: number, actor: Actor): Promise<void> =>
      db.orm.$transaction(async (tx) => {
        if ((await tx.team.count({ where: { id: teamId } })) === 0) throw teamNotFound();
        await endWithin(tx, view, actor);
        await tx.session.update({ where: { id: view.sessionId }, data: { viewAsTeamId: teamId } });
        await recordAudit(tx, actor, { teamId, action: 'team.view_began', subject: ['team', teamId] });
      }),

    /** Ends the view of a session, if there is one. */
    end: (view: View, actor: Actor): Promise<boolean> =>
      db.orm.$transaction((tx) => endWithin(tx, view, actor)),
  };
}
