import { HOUR_MS } from '../../lib/durations.js';
import type { Chance } from './chance.js';
import type { Lead, Row } from './leads.js';
import { NOTES } from './texts.js';

/** Those of a team who handle its leads. */
type Handlers = ReadonlyMap<number, readonly number[]>;

/** What people did with the leads: their states with the trail of it, and their notes. */
type Handled = Readonly<{ states: ReadonlyMap<string, Row>; events: Row[]; notes: Row[] }>;

/** Draws the states that a lead goes through, each with the hours after which it comes. */
function stepsOf(chance: Chance, { isSpam }: Lead): readonly (readonly [state: string, hours: number])[] {
  if (isSpam) return [['spam', chance.whole(1, 20)]];
  const done = [
    ...(chance.isTrue(0.6) ? [['in_progress', chance.whole(1, 20)] as const] : []),
    ...(chance.isTrue(0.93) ? [['done', chance.whole(22, 90)] as const] : []),
  ];
  return chance.isTrue(0.5) ? [...done, ['archived', chance.whole(500, 900)] as const] : done;
}

/** Draws what the handlers of a team did with its leads until now. */
export function drawHandling(chance: Chance, leads: readonly Lead[], handlers: Handlers, now: Date): Handled {
  const states = new Map<string, Row>();
  const events: Row[] = [];
  const notes: Row[] = [];
  for (const lead of leads) {
    const { id } = lead.row;
    const { teamId, locale } = lead.placement;
    const people = handlers.get(teamId) ?? [];
    let from = 'new';
    for (const [state, hours] of stepsOf(chance, lead)) {
      const at = new Date(lead.at.getTime() + hours * HOUR_MS);
      if (at > now) break;
      const actor = chance.pick(people);
      events.push({
        id: chance.idAt(at),
        team_id: teamId,
        actor_id: actor,
        channel: 'panel',
        subject_type: 'submission',
        action: 'submission.state_changed',
        subject_id: id,
        detail: { from, to: state },
        created_at: at,
      });
      states.set(id, { state, state_changed_at: at, state_changed_by_id: actor });
      from = state;
    }
    if (lead.isSpam || !chance.isTrue(0.2)) continue;
    for (let count = chance.whole(1, 2), at = lead.at; count > 0; count--) {
      at = new Date(at.getTime() + chance.whole(1, 30) * HOUR_MS);
      if (at > now) break;
      const text = chance.pick(NOTES[locale === 'fr' ? 'fr' : 'en']);
      notes.push({
        id: chance.idAt(at),
        submission_id: id,
        author_id: chance.pick(people),
        text,
        created_at: at,
      });
    }
  }
  return { states, events, notes };
}
