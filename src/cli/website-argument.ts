import { UsageError } from '../errors.js';
import { isUuid } from '../lib/text/uuid.js';
import { normaliseHost } from '../websites/host.js';

/** Selects websites by what a person types: an id, or a host in any spelling. @throws UsageError for neither. */
export function byIdOrHost(typed: string): { id: string } | { host: string } {
  const id = typed.toLowerCase();
  if (isUuid(id)) return { id };
  const host = normaliseHost(typed);
  if (host === null) {
    throw new UsageError(
      `Name a website by its host, as www.example.com, or by its id; ${typed} is neither.`,
    );
  }
  return { host };
}
