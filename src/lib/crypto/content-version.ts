import { hash } from 'node:crypto';

/**
 * Identifies a content by a digest, by which a request to save it names the content that it changes: two processes that
 * read the same content compute the same version, and it tells nothing of secrets within.
 *
 * @param content JSON, whose keys and entries have the same order each time it is read.
 */
export const contentVersion = (content: unknown): string =>
  hash('sha256', JSON.stringify(content), 'base64url');
