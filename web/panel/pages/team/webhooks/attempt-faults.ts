/**
 * Why an attempt got no answer, as the stable words that the gateway records; each has its sentence in the catalogues.
 */
export const ATTEMPT_FAULTS = [
  'bad_address',
  'not_encrypted',
  'not_public',
  'unknown_host',
  'unreachable',
  'certificate',
  'timeout',
  'not_sent',
  'set_aside',
] as const;

/** Faults of attempts that never reached out, so that no answer could come. */
const UNSENT: readonly string[] = ['bad_address', 'not_encrypted', 'not_public', 'not_sent', 'set_aside'];

/** Returns the text that says in a word why an attempt has no status. */
export const shortFault = (fault: string | null) =>
  fault && UNSENT.includes(fault) ? 'webhooks.notSent' : 'webhooks.noAnswer';

/** Tells whether a fault has a sentence; one of a newer gateway has none and is shown as it is. */
export const isAttemptFault = (fault: string): fault is (typeof ATTEMPT_FAULTS)[number] =>
  (ATTEMPT_FAULTS as readonly string[]).includes(fault);
