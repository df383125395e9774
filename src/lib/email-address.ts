/** The grammar of `<input type=email>` in the HTML standard: what browsers let a visitor send. */
const GRAMMAR =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

const MAX_LENGTH = 254;

/** Whether a text is exactly one e-mail address, of 254 characters at most, with nothing around it. */
export function isEmailAddress(text: string): boolean {
  return text.length <= MAX_LENGTH && GRAMMAR.test(text);
}
