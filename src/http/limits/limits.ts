type Limit = Readonly<{
  /** How many hits of weight 1 pass in a window. Null: the caller passes it, because it depends on the plan. */
  quota: number | null;
  windowS: number;
}>;

/** Every limit of the HTTP front. The names appear in the `RateLimit` header fields (guide: Limits). */
export const LIMITS = {
  'token-api': { quota: 120, windowS: 60 },
  // By bearer and team, since each new token has a `token-api` of its own.
  'token-creations': { quota: 600, windowS: 60 },
  'auth-failures': { quota: 30, windowS: 60 },
  'api-forms-config': { quota: 60, windowS: 60 },
  'api-captcha-challenge': { quota: 30, windowS: 60 },
  signature: { quota: 60, windowS: 60 },
  visits: { quota: 60, windowS: 60 },
  'visits-website': { quota: 300, windowS: 60 },
  'unknown-website': { quota: 60, windowS: 60 },
  // By account and address, as those of password resets.
  login: { quota: 10, windowS: 900 },
  // Each attempt costs an argon2 hash, whatever account it is for.
  'login-address': { quota: 100, windowS: 900 },
  // Of a million codes three are right at a time.
  'second-factor': { quota: 10, windowS: 900 },
  'password-reset': { quota: 5, windowS: 3600 },
  invitations: { quota: 50, windowS: 86_400 },
  // By team and address.
  'invitations-address': { quota: 3, windowS: 86_400 },
  // Every recipient of a forwarded submission counts, so that the panel sends no mass mail.
  forwards: { quota: 60, windowS: 3600 },
  // By team and address.
  'forwards-address': { quota: 20, windowS: 3600 },
  probes: { quota: 10, windowS: 600 },
  'webhook-tests': { quota: 20, windowS: 600 },
  // A page of 40 steps each, so that an installation of thousands is checked in one go.
  'captcha-checks': { quota: 120, windowS: 60 },
  'captcha-check': { quota: 30, windowS: 60 },
  'test-submissions': { quota: 60, windowS: 60 },
  notes: { quota: 60, windowS: 60 },
  // Every submission of a call counts: each writes an event of the audit trail, and a delivery for each endpoint.
  'changed-submissions': { quota: 50_000, windowS: 300 },
  // By address and website; those of probes by website alone.
  'api-submit': { quota: null, windowS: 60 },
  // By website and kind of sender.
  'api-submit-hourly': { quota: null, windowS: 3600 },
} as const satisfies Record<string, Limit>;

type LimitName = keyof typeof LIMITS;

type Dynamic = { [Name in LimitName]: (typeof LIMITS)[Name]['quota'] extends null ? Name : never }[LimitName];

/** One request against one limit: the key is whatever the limit counts by. */
export type Hit = (
  | Readonly<{ limit: Exclude<LimitName, Dynamic>; key: string }>
  | Readonly<{ limit: Dynamic; key: string; quota: number }>
) &
  Readonly<{
    /** How much of the quota it takes, all or nothing; 1 when absent. */
    weight?: number;
  }>;

/** Returns how much passes in the hit's window. */
export const quotaOf = (hit: Hit): number => ('quota' in hit ? hit.quota : LIMITS[hit.limit].quota);

/** Returns how much of its quota a hit takes. */
export const weightOf = ({ weight = 1 }: Hit): number => weight;
