type Limit = Readonly<{
  /** How many hits pass in a window. Null: the caller passes it, because it depends on the plan. */
  quota: number | null;
  windowS: number;
  /** The key by which hits are counted. */
  per:
    | 'token'
    | 'ip'
    | 'ip and website'
    | 'website'
    | 'account'
    | 'account and ip'
    | 'team'
    | 'team and address'
    | 'address';
}>;

/** Every limit of the HTTP front. The names appear in the `RateLimit` header fields (guide: Limits). */
export const LIMITS = {
  'token-api': { quota: 120, windowS: 60, per: 'token' },
  'auth-failures': { quota: 30, windowS: 60, per: 'ip' },
  'api-forms-config': { quota: 60, windowS: 60, per: 'ip' },
  'api-captcha-challenge': { quota: 30, windowS: 60, per: 'ip' },
  signature: { quota: 60, windowS: 60, per: 'ip' },
  visits: { quota: 60, windowS: 60, per: 'ip' },
  'visits-website': { quota: 300, windowS: 60, per: 'website' },
  'unknown-website': { quota: 60, windowS: 60, per: 'ip' },
  login: { quota: 10, windowS: 900, per: 'account and ip' },
  // Each attempt costs an argon2 hash, whatever account it is for.
  'login-address': { quota: 100, windowS: 900, per: 'ip' },
  // Of a million codes three are right at a time.
  'second-factor': { quota: 10, windowS: 900, per: 'account' },
  'password-reset': { quota: 5, windowS: 3600, per: 'account and ip' },
  invitations: { quota: 50, windowS: 86_400, per: 'team' },
  'invitations-address': { quota: 3, windowS: 86_400, per: 'team and address' },
  // Every recipient of a forwarded submission counts, so that the panel sends no mass mail.
  forwards: { quota: 60, windowS: 3600, per: 'account' },
  'forwards-address': { quota: 20, windowS: 3600, per: 'address' },
  probes: { quota: 10, windowS: 600, per: 'website' },
  'webhook-tests': { quota: 20, windowS: 600, per: 'team' },
  // A page of 40 steps each, so that an installation of thousands is checked in one go.
  'captcha-checks': { quota: 120, windowS: 60, per: 'account' },
  'captcha-check': { quota: 30, windowS: 60, per: 'account' },
  'api-submit': { quota: null, windowS: 60, per: 'ip and website' },
  'api-submit-hourly': { quota: null, windowS: 3600, per: 'website' },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;

type Dynamic = { [Name in LimitName]: (typeof LIMITS)[Name]['quota'] extends null ? Name : never }[LimitName];

/** One request against one limit: the key is whatever the limit counts by. */
export type Hit =
  | Readonly<{ limit: Exclude<LimitName, Dynamic>; key: string }>
  | Readonly<{ limit: Dynamic; key: string; quota: number }>;

/** Returns how many hits pass in the hit's window. */
export const quotaOf = (hit: Hit): number => ('quota' in hit ? hit.quota : LIMITS[hit.limit].quota);
