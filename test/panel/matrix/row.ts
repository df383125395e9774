import type { Services } from '../../../src/services.js';

/**
 * Who asks: `owner`, `admin` and `member` are those of the team in question, `stranger` is the owner of another
 * team, `nobody` is not logged in.
 */
export const WHO = ['staff', 'owner', 'admin', 'member', 'stranger', 'nobody'] as const;
export type Who = (typeof WHO)[number];

export type Refusal = 'FORBIDDEN' | 'NOT_FOUND' | 'UNAUTHENTICATED';

/** The team that an operation is tried on, and what it has. Rows leave it as it is: see `prepare`. */
export type MatrixIds = Readonly<{
  teamId: number;
  slug: string;
  planId: number;
  ownerId: number;
  adminId: number;
  memberId: number;
  websiteId: string;
  host: string;
  formId: number;
  formSlug: string;
  /** Of the owner. */
  tokenId: number;
  /** Its notification is pending; the visitor's address is `visitor@<slug>.test`. */
  submissionId: string;
}>;

/** The caller that is about to send the operation. `userId` and `sessionId` are null for `nobody`. */
export type Caller = Readonly<{
  who: Who;
  userId: number | null;
  sessionId: string | null;
  email: string | null;
}>;

/** What `prepare` has made for one case, for the variables. */
export type Made = Readonly<Record<string, string | number>>;

/** Who may use one operation, and what the others are told. */
export type Row = Readonly<{
  /** One operation with this one root field. */
  query: string;
  variables: (ids: MatrixIds, made: Made) => object;
  /** Makes what the operation changes or deletes, anew for each case. */
  prepare?: (services: Services, ids: MatrixIds, caller: Caller) => Promise<Made>;
  /** Those who get an answer: with `scope: 'team'` from their own team. */
  allowed: readonly Who[];
  /**
   * What the others get where it is not the usual: nobody UNAUTHENTICATED; a stranger to the team NOT_FOUND; any
   * other FORBIDDEN.
   */
  refusal?: Partial<Record<Who, Refusal>>;
  /**
   * `team`: about a team or something of it, so tried on another team too. `viewer`: about the viewer's own
   * account. `staff`: about the installation.
   */
  scope: 'team' | 'viewer' | 'staff';
  /** Shows, or deletes, simply nothing of another team; for the allowed that must not be nothing. */
  empties?: boolean;
}>;

/** The rows of one domain: each file beside this one exports them as its default. */
export type Rows = Readonly<Record<`Query.${string}` | `Mutation.${string}`, Row>>;
