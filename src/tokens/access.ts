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

/** Whether a bearer may hold tokens at this moment (interface 5.1). */
const isManager = ({ role, teamActive }: Pick<Bearer, 'role' | 'teamActive'>): boolean =>
  teamActive && (role === 'owner' || role === 'admin');

/**
 * What the token endpoints ask of a bearer: the role, live, and no ability.
 *
 * @throws 403 (interface 7).
 */
export function requireManager(bearer: Pick<Bearer, 'role' | 'teamActive'>): void {
  if (!isManager(bearer)) throw reservedToManagers();
}

/**
 * What every other call with a token must show beyond being authentic: the role, live, and the ability.
 *
 * @throws 403 with the wording of its case (interface 7).
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
