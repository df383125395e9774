/** The grammar of `<input type=email>` in the HTML standard: what browsers let a visitor send. */
export const EMAIL_GRAMMAR =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** In UTF-16 code units; the grammar is ASCII. */
export const MAX_EMAIL_LENGTH = 254;

/** Tells whether a text is exactly one e-mail address, of 254 characters at most, with nothing around it. */
export function isEmailAddress(text: string): boolean {
  return text.length <= MAX_EMAIL_LENGTH && EMAIL_GRAMMAR.test(text);
}

/** Returns what follows the last @ of an e-mail address, in the letters that it is written in. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** Returns the domains of e-mail addresses in lower case, each once, in the order of the addresses. */
export const domainsOf = (addresses: readonly string[]): string[] => [
  ...new Set(addresses.map((address) => domainOf(address).toLowerCase())),
];
