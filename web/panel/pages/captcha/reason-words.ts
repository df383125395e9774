import type { TextId } from '../../texts/text-id.js';

/** The reasons of refusals that there are words for; see `RefusedFor` of the gateway. */
const REASONS = [
  'no_token',
  'token_too_long',
  'step_not_allowed',
  'proof_invalid',
  'proof_used',
  'rejected',
  'low_score',
  'wrong_action',
  'wrong_hostname',
  'client_error',
  'redirected',
  'not_json',
  'too_large',
  'secret_missing',
  'secret_refused',
] as const;

/** Puts the reason of a refusal into words: a text with its values. */
export function reasonWords(reason: string): [TextId, Record<string, string>?] {
  const known = REASONS.find((one) => one === reason);
  return known ? [`console.reason.${known}`] : ['console.reason.other', { reason }];
}
