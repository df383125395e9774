const WORDS = 'The mail server is away';

/** A network error as earlier versions recorded it. */
const NETWORK_ERROR = /^(?:connect|getaddrinfo|query\w*) E[A-Z]+/;

/** Says that the mail server itself is away, without its address, which clients need not know. */
export const describeAway = (cause: string): string => `${WORDS} (${cause}).`;

/** Tells whether the words of an attempt are about the mail server itself, and not about a recipient. */
export const isServerAway = (detail: string): boolean =>
  detail.startsWith(WORDS) || NETWORK_ERROR.test(detail);
