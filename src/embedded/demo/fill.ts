import { NIL } from 'uuid';
import type { Actor } from '../../audit/audit.js';
import { isDemo, recordDemo } from '../../audit/demo-mark.js';
import type { Transaction } from '../../db/client.js';
import { FORM_INCLUDE, formContent } from '../../forms/definition/form.mapper.js';
import { DAY_MS, MINUTE_MS } from '../../lib/durations.js';
import { markDays } from '../../rollups/daily-counts.queries.js';
import type { Services } from '../../services.js';
import { DEMO_TEAM, DEMO_TEAMS } from './agency.js';
import { createChance } from './chance.js';
import { insertRows, readPlacements } from './fill.queries.js';
import { drawHandling } from './handling.js';
import { DAYS, type DemoPlacement, drawLeads, type Row, visitsOf } from './leads.js';
import { drawMail } from './mail.js';
import { SOURCES } from './texts.js';

const SEED = 2_026;

/** Visitors that a website has on a day, beside the senders of leads. */
const VISITORS_PER_DAY = 2;

/** How much the statements may take on a busy machine. */
const TIMEOUT_MS = 60_000;

async function readDemoPlacements(tx: Transaction): Promise<DemoPlacement[]> {
  const placements = await readPlacements(tx, DEMO_TEAMS);
  const websites = await tx.website.findMany({
    where: { id: { in: placements.map(({ websiteId }) => websiteId) } },
    include: { team: { select: { slug: true } } },
  });
  const forms = await tx.form.findMany({
    where: { id: { in: placements.map(({ formId }) => formId) } },
    include: FORM_INCLUDE,
  });
  return placements.map(({ websiteId, formId, recipients, hasChain }) => {
    const website = websites.find(({ id }) => id === websiteId)!;
    const form = forms.find(({ id }) => id === formId)!;
    return {
      websiteId,
      teamId: website.teamId,
      team: website.team.slug,
      host: website.host,
      url: website.url,
      locale: website.locale,
      formId,
      form: formContent(form),
      recipients,
      captchaKey: hasChain ? 'turnstile:main' : 'altcha',
    };
  });
}

/** Finds who may change the leads of each team: its owners and admins, and the agency's staff. */
async function readHandlers(tx: Transaction) {
  const staff = await tx.user.findFirstOrThrow({ where: { staff: true }, orderBy: { id: 'asc' } });
  const managers = await tx.membership.findMany({
    where: { role: { not: 'member' }, team: { slug: { in: [...DEMO_TEAMS] } } },
    orderBy: { userId: 'asc' },
  });
  const handlers = new Map<number, number[]>();
  for (const { teamId, userId } of managers) {
    handlers.set(teamId, [...(handlers.get(teamId) ?? [staff.id]), userId]);
  }
  return { staffId: staff.id, handlers };
}

/**
 * Fills the demo's teams with leads of the last ninety days and what became of them, in one transaction. It does so
 * once, and only where the demo's document was applied: a data folder with anything else in it stays as it is.
 */
export async function fillDemo({ db, clock }: Pick<Services, 'db' | 'clock'>, actor: Actor): Promise<void> {
  if ((await db.orm.team.count({ where: { slug: DEMO_TEAM } })) === 0 || (await isDemo(db))) return;
  const now = clock();
  const chance = createChance(SEED);
  await db.orm.$transaction(
    async (tx) => {
      const placements = await readDemoPlacements(tx);
      const { staffId, handlers } = await readHandlers(tx);
      const leads = drawLeads(chance, placements, now);
      const { states, events, notes } = drawHandling(chance, leads, handlers, now);
      const mail = drawMail(chance, leads, staffId, now);
      const fresh = { state: 'new', state_changed_at: null, state_changed_by_id: null };
      await insertRows(tx, 'visits', [
        ...leads.flatMap(({ visits }) => visits).map(complete),
        ...drawVisits(chance, placements, now).map(complete),
      ]);
      await insertRows(
        tx,
        'submissions',
        leads.map(({ row }) => ({ ...row, ...(states.get(row.id) ?? fresh) })),
      );
      await insertRows(tx, 'notifications', mail.notifications);
      await insertRows(tx, 'notification_attempts', mail.attempts);
      await insertRows(tx, 'requested_emails', mail.requested);
      await insertRows(tx, 'requested_email_attempts', mail.requestedAttempts);
      await insertRows(tx, 'quota_usages', mail.usages);
      await insertRows(tx, 'quota_notices', mail.notices);
      await insertRows(tx, 'submission_notes', notes);
      await insertRows(tx, 'audit_events', events);
      // Workers count only days that have leads anew.
      await markDays(tx, NIL, placements.length);
      await recordDemo(tx, actor);
    },
    { timeout: TIMEOUT_MS },
  );
}

const NOWHERE = {
  referrer: null,
  utm_source: null,
  utm_medium: null,
  utm_campaign: null,
};

/** Gives a page view every column, since rows of one statement have the same. */
const complete = (visit: Row): Row => ({ ...NOWHERE, ...visit });

/** Draws visitors who did not write. */
function drawVisits(
  chance: ReturnType<typeof createChance>,
  placements: readonly DemoPlacement[],
  now: Date,
): Row[] {
  const websites = [...new Map(placements.map((placement) => [placement.websiteId, placement])).values()];
  const visits: Row[] = [];
  for (let day = 0; day < DAYS; day++) {
    for (const placement of websites) {
      for (let count = chance.whole(1, 2 * VISITORS_PER_DAY - 1); count > 0; count--) {
        const at = new Date(now.getTime() - day * DAY_MS - chance.whole(1, 1_000) * MINUTE_MS);
        visits.push(...visitsOf(chance, placement, at, chance.pick(SOURCES)[1]));
      }
    }
  }
  return visits;
}
