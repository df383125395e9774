import { missingAbility, noLongerAllowed, noOrganization, reservedToManagers } from '../errors.js';
import type { Role } from '../generated/prisma/client.js';

export const ABILITIES = ['team:read', 'team:submit'] as const;
export type Ability = (typeof ABILITIES)[number];

/** A live token with the standing of its bearer at this very moment. */
export type Bearer = Readonly<{
  tokenId: number;
  teamId: number;
  teamSlug: string;
  teamActive: boolean;
  /** Of what the team's website directory shows: another with each change. */
  directoryVersion: string;
  userId: number;
  abilities: readonly string[];
  /** When the token ends; null: never. */
  expiresAt: Date | null;
  /** Null: the bearer is no member of the team any more. */
  role: Role | null;
}>;

/** Whether a bearer may hold tokens at this moment. */
const isManager = ({ role, teamActive }: Pick<Bearer, 'role' | 'teamActive'>): boolean =>
  teamActive && (role === 'owner' || role === 'admin');

/**
 * Requires of a bearer what the token endpoints require: the current role, and no ability.
 *
 * @throws 403 (guide: Everything that can go wrong).
 */
export function requireManager(bearer: Pick<Bearer, 'role' | 'teamActive'>): void {
  if (!isManager(bearer)) throw reservedToManagers();
}

/**
 * Requires of a bearer what every other call with a token requires: the current role, and the ability.
 *
 * @throws 403 with the wording of its case (guide: Everything that can go wrong).
 */
export function requireAccess(bearer: Bearer, ability: Ability): void {
  if (!isManager(bearer)) throw noLongerAllowed();
  if (!bearer.abilities.includes(ability)) throw missingAbility(ability);
}

/**
 * As `requireAccess`, for a call that speaks of the organization as a whole: a bearer who is no member at
 * all is told that there is none.
 */
export function requireOrganization(bearer: Bearer, ability: Ability): void {
  if (bearer.role === null) throw noOrganization();
  requireAccess(bearer, ability);
}
