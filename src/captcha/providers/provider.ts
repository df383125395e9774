/**
 * The verdict of a provider on a token.
 *
 * `unavailable` is a technical failure seen by us, and the only verdict that may open a fallback. Everything a token
 * can provoke is a refusal.
 */
export type Verdict =
  | Readonly<{ outcome: 'accepted' }>
  | Readonly<{ outcome: 'refused'; reason: RefusalReason; blamesSecret: boolean }>
  | Readonly<{ outcome: 'unavailable'; reason: FailureReason }>;

export type RefusalReason =
  | 'rejected'
  | 'client_error'
  | 'redirected'
  | 'not_json'
  | 'too_large'
  | 'low_score'
  | 'wrong_action'
  | 'wrong_hostname'
  | 'secret_missing'
  | 'secret_refused';

export type FailureReason = 'timeout' | 'network_error' | 'server_error';

/** A token to verify, with what is known about its sender. */
export type Attempt = Readonly<{
  token: string;
  clientIp: string;
  userAgent: string | undefined;
  /** The website's host name, without a port. */
  hostname: string;
}>;

/** The action that the browser names when it asks a provider for a token. */
export const ACTION = 'submit';

export const accepted: Verdict = { outcome: 'accepted' };

/** Creates a refusal. It blames our secret when the step's settings are wrong, which no visitor can fix. */
export const refused = (reason: RefusalReason): Verdict => ({
  outcome: 'refused',
  reason,
  blamesSecret: reason === 'secret_missing' || reason === 'secret_refused',
});

export const unavailable = (reason: FailureReason): Verdict => ({ outcome: 'unavailable', reason });
