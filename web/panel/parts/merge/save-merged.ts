import { isConflict } from '../../graphql.js';
import type { Collision, Sides } from './merge.js';

/** What a draft is a change of, and the version by which the gateway knows it. */
export type Base<Draft> = Readonly<{ draft: Draft; version: string }>;

/**
 * A draft over what another account has saved meanwhile, with what both have changed, each in its way.
 *
 * `before` is what both were changes of.
 */
export type SaveConflict<Draft> = Readonly<{
  before: Draft;
  base: Base<Draft>;
  draft: Draft;
  collisions: readonly Collision[];
}>;

/** What came of a save: `gone` when there is nothing left that could be changed. */
export type Saving<Draft> = 'saved' | 'gone' | SaveConflict<Draft>;

type Steps<Draft> = Readonly<{
  /** Saves a draft over its base. @throws GatewayError CONFLICT when the stored version is another one. */
  send(draft: Draft, base: Base<Draft>): Promise<unknown>;
  /** Reads what is stored by now; null: nothing. */
  read(): Promise<Base<Draft> | null>;
  merge(sides: Sides<Draft>): Readonly<{ draft: Draft; collisions: readonly Collision[] }>;
}>;

/** Maximum number of saves of a draft, each merged with newer settings, before it gives up. */
const MAX_ATTEMPTS = 3;

/**
 * Saves a draft. What another account has saved meanwhile is merged into it, and it is sent again, unless both have
 * changed the same setting.
 */
export async function saveMerged<Draft>(
  draft: Draft,
  base: Base<Draft>,
  { send, read, merge }: Steps<Draft>,
): Promise<Saving<Draft>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await send(draft, base);
      return 'saved';
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error;
    }
    const stored = await read();
    if (!stored) return 'gone';
    const before = base.draft;
    const merged = merge({ base: before, mine: draft, theirs: stored.draft });
    base = stored;
    draft = merged.draft;
    if (merged.collisions.length > 0) return { before, base, ...merged };
  }
}
