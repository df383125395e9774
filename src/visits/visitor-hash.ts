import { createHmac } from 'node:crypto';

/**
 * Computes the pseudonym of a visitor on one website for one day: 43 characters of Base64url.
 *
 * Without the salt it can neither be computed again nor traced to the IP address and browser.
 */
export function hashVisitor(
  salt: Uint8Array,
  visitor: { websiteId: string; address: string; userAgent: string },
): string {
  const identity = JSON.stringify([visitor.websiteId, visitor.address, visitor.userAgent]);
  return createHmac('sha256', salt).update(identity).digest('base64url');
}
