import { missingAbility, noLongerAllowed, noOrganization, reservedToManagers } from '../errors.js';
import type { Role } from '../generated/prisma/client.js';

export const ABILITIES = ['team:read', 'team:submit'] as const;
export type Ability = (typeof ABILITIES)[number];

/** A live token with the current rights of its bearer. */
export type Bearer = Readonly<{
  tokenId: number;
  teamId: number;
  teamSlug: string;
  teamActive: boolean;
  /** Version of the team's website directory, which changes with each change of the directory. */
  directoryVersion: string;
  userId: number;
  abilities: readonly string[];
  /** Expiry of the token; null: never. */
  expiresAt: Date | null;
  /** Whether the bearer is a member of the team, if only with a disabled account. */
  isMember: boolean;
  /** Null when the bearer is no longer a member of the team, or the account is disabled. */
  role: Role | null;
}>;

/** Tells whether a bearer may hold tokens now. */
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
 * Requires the same as `requireAccess`, for a call about the organization as a whole.
 *
 * @throws the errors of `requireAccess`; 403 with a message of its own for a bearer who is no member.
 */
export function requireOrganization(bearer: Bearer, ability: Ability): void {
  if (!bearer.isMember) throw noOrganization();
  requireAccess(bearer, ability);
}
