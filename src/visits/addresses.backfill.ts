import { NIL } from 'uuid';
import type { Backfill, Portion } from '../db/backfill/backfill.js';
import type { Transaction } from '../db/client.js';
import { parseAnyUrl } from '../lib/text/http-url.js';
import { pageAddress, referrerAddress } from './visit-body.js';

type Visit = Readonly<{ id: string; page_url: string; referrer: string | null }>;

type Attribution = Readonly<{ id: string; referrer: string | null }>;

/** Cuts an address that was stored whole. */
function cut(address: string, keep: (url: URL) => string): string {
  const url = parseAnyUrl(address);
  return url ? keep(url) : address.replace(/[?#].*$/s, '');
}

const cutReferrer = (referrer: string | null) => referrer && cut(referrer, referrerAddress);

function portionOf(rows: readonly { id: string }[]): Portion | null {
  const last = rows.at(-1);
  return last ? { last: last.id, rows: rows.length } : null;
}

/**
 * Cuts the addresses of visits that were recorded before queries were left out: they may hold what a visitor has typed.
 * An address that is written anew meanwhile stays as it then is.
 */
export const visitAddresses: Backfill = {
  name: 'visit_addresses',
  table: 'visits',
  async rewrite(tx: Transaction, after, limit) {
    const visits = await tx.$queryRaw<Visit[]>`
      SELECT id, page_url, referrer FROM visits WHERE id > ${after ?? NIL}::uuid ORDER BY id LIMIT ${limit}`;
    const changes = visits
      .map((visit) => ({
        ...visit,
        new_page_url: cut(visit.page_url, pageAddress),
        new_referrer: cutReferrer(visit.referrer),
      }))
      .filter((row) => row.new_page_url !== row.page_url || row.new_referrer !== row.referrer);
    await tx.$executeRaw`
      UPDATE visits SET page_url = new_page_url, referrer = new_referrer
        FROM json_to_recordset(${JSON.stringify(changes)}::json)
          AS changed (id uuid, page_url text, referrer text, new_page_url text, new_referrer text)
       WHERE visits.id = changed.id AND visits.page_url = changed.page_url
         AND visits.referrer IS NOT DISTINCT FROM changed.referrer`;
    return portionOf(visits);
  },
};

/** Cuts the referrers that submissions have taken over from such visits. */
export const attributionReferrers: Backfill = {
  name: 'attribution_referrers',
  table: 'submissions',
  async rewrite(tx: Transaction, after, limit) {
    const attributions = await tx.$queryRaw<Attribution[]>`
      SELECT id, attribution->>'referrer' AS referrer FROM submissions
       WHERE id > ${after ?? NIL}::uuid ORDER BY id LIMIT ${limit}`;
    const changes = attributions
      .map((row) => ({ ...row, new_referrer: cutReferrer(row.referrer) }))
      .filter((row) => row.new_referrer !== row.referrer);
    await tx.$executeRaw`
      UPDATE submissions SET attribution = jsonb_set(attribution, '{referrer}', to_jsonb(new_referrer))
        FROM json_to_recordset(${JSON.stringify(changes)}::json)
          AS changed (id uuid, referrer text, new_referrer text)
       WHERE submissions.id = changed.id AND attribution->>'referrer' = changed.referrer`;
    return portionOf(attributions);
  },
};
