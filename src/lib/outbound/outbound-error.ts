/** Why a call got no answer, as a stable word. */
export type OutboundFault =
  /** The address is not http or https, or carries a user. */
  | 'bad_address'
  /** The address is http, which is not encrypted, and no operator has opened it. */
  | 'not_encrypted'
  /** It leads to a network that is not public. */
  | 'not_public'
  /** DNS has no such name, or does not answer for it. */
  | 'unknown_host'
  | 'unreachable'
  | 'certificate'
  | 'timeout'
  | 'too_large'
  | 'too_many_redirects';

/** Maximum characters of a fault's message: a certificate for other names lists them all. */
const MAX_MESSAGE_LENGTH = 500;

/**
 * A call that got no answer; the message has what the system said, or the address at fault.
 *
 * It never has the address that a name resolves to, which would draw strangers a map of the network.
 */
export class OutboundError extends Error {
  constructor(
    readonly fault: OutboundFault,
    message: string,
  ) {
    super(message.slice(0, MAX_MESSAGE_LENGTH));
  }
}
