import { createInterface } from 'node:readline/promises';
import { StartError, UsageError } from '../errors.js';
import { NotificationState } from '../generated/prisma/enums.js';
import { isUuid } from '../lib/text/uuid.js';
import {
  leadsOf,
  listNotifications,
  type NotificationEntry,
  type NotificationFilter,
} from '../notifications/notification-list.queries.js';
import type { Services } from '../services.js';
import { ACTOR, oneLine, print, table } from './output.js';
import { withReadServices, withServices } from './runtime.js';
import { byIdOrHost } from './website-argument.js';

const UNIT_S = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 } as const;
type Unit = keyof typeof UNIT_S;

const MAX_LISTED = 1_000;

/** Submissions that one transaction asks for again, as many as one mutation of the panel. */
const PORTION = 500;

const { pending: _pending, sent: _sent, ...UNSENT } = NotificationState;

/** The states whose e-mails can be sent again; that of spam is sent when its lead is no spam after all. */
const { withheld, ...RESENDABLE } = UNSENT;

type FilterOptions = Readonly<{ state?: string; team?: string; website?: string; since?: string }>;

/** A filter as given, with its arguments checked and the names of team and website still to be found. */
type Given = Pick<NotificationFilter, 'states' | 'since'> & Pick<FilterOptions, 'team' | 'website'>;

function readSince(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const [, number, unit] = /^(\d{1,4})([mhdw])$/.exec(text) ?? [];
  if (!number) throw new UsageError('--since must be a period such as 90m, 12h, 2d or 3w.');
  return new Date(Date.now() - Number(number) * UNIT_S[unit as Unit] * 1_000);
}

function readFilter(
  options: FilterOptions,
  states: readonly NotificationState[],
  usual: Given['states'],
): Given {
  const { state, team, website } = options;
  const chosen = states.find((each) => each === state);
  if (state !== undefined && !chosen) {
    throw new UsageError(`--state must be one of ${states.join(', ')}, not ${state}.`);
  }
  return { states: chosen ? [chosen] : usual, since: readSince(options.since), team, website };
}

/** Finds the team and the websites of a filter. @throws StartError when there is none. */
async function resolve(
  { db, teams }: Services,
  { states, since, ...names }: Given,
): Promise<NotificationFilter> {
  const team = names.team === undefined ? null : await teams.bySlug(names.team);
  if (names.team !== undefined && !team) throw new StartError(`There is no team ${names.team}.`);
  const teamId = team?.id ?? null;
  if (names.website === undefined) return { states, since, teamId, websiteIds: null };
  const websites = await db.orm.website.findMany({
    where: { ...byIdOrHost(names.website), ...(team && { teamId: team.id }) },
    select: { id: true },
  });
  if (websites.length === 0) throw new StartError(`There is no website ${names.website}.`);
  return { states, since, teamId, websiteIds: websites.map(({ id }) => id) };
}

/** Formats an age by its largest unit, as in `3h`. */
function ageOf({ createdAt }: NotificationEntry): string {
  const seconds = Math.max(0, Math.floor((Date.now() - createdAt.getTime()) / 1_000));
  const unit = (['d', 'h', 'm'] as const).find((each) => seconds >= UNIT_S[each]) ?? 's';
  return `${Math.floor(seconds / UNIT_S[unit])}${unit}`;
}

/** Returns what the mail server last said, on one line and without what a terminal would obey. */
function answerOf({ lastAttempt }: NotificationEntry): string {
  if (!lastAttempt) return 'no attempt yet';
  const { outcome, smtpCode, detail } = lastAttempt;
  if (smtpCode === null) return oneLine(detail || outcome);
  // The server's own words begin with its code, those of a library do not.
  const code = String(smtpCode);
  return oneLine(detail?.startsWith(code) ? detail : [code, detail ?? ''].join(' '));
}

/** `formgate notifications list`: prints the notifications that wait or have ended without an e-mail. */
export async function notificationsList(
  options: FilterOptions & Readonly<{ limit?: string; json?: boolean }>,
): Promise<void> {
  const given = readFilter(options, Object.values(NotificationState), ['pending', ...Object.values(UNSENT)]);
  const limit = Number(options.limit ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LISTED) {
    throw new UsageError(`--limit must be a number from 1 to ${MAX_LISTED}.`);
  }
  await withReadServices('notifications', async (services) => {
    const entries = await listNotifications(services.db, await resolve(services, given), limit);
    if (options.json) print(JSON.stringify(entries, null, 2));
    else if (entries.length === 0) print('There are none.');
    else {
      const rows = entries.map((entry) => [
        ageOf(entry),
        entry.state,
        entry.team,
        entry.host,
        entry.leadId,
        answerOf(entry),
      ]);
      print(table([['age', 'state', 'team', 'website', 'lead', 'last answer'], ...rows]));
    }
  });
}

/** Asks on the terminal; Ctrl-C and Ctrl-D mean no. */
async function isConfirmed(count: number): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Send ${count} e-mails again? [y/N] `).catch(() => '');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** @throws StartError that names the leads that do not exist. */
async function requireLeads({ db }: Services, ids: readonly string[]): Promise<void> {
  const rows = await db.orm.submission.findMany({ where: { id: { in: [...ids] } }, select: { id: true } });
  const found = new Set(rows.map(({ id }) => id));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0) throw new StartError(`There is no lead ${missing.join(', ')}.`);
}

/** Asks for e-mails again, in portions, and prints how many have which outcome. */
async function sendAgain({ handling }: Services, leads: readonly string[]): Promise<void> {
  const counts = { handed_over: 0, nothing_to_send: 0, quota_used_up: 0 };
  for (let at = 0; at < leads.length; at += PORTION) {
    const results = await handling.sendAgain(leads.slice(at, at + PORTION), ACTOR);
    for (const { outcome } of results) counts[outcome] += 1;
  }
  print(`${counts.handed_over} handed over`);
  print(`${counts.nothing_to_send} with nothing to send: sent already, still to be sent, or spam`);
  if (counts.quota_used_up > 0) print(`${counts.quota_used_up} held: the quota of their month is used up`);
}

/** `formgate notifications resend`: sends e-mails again, of leads or of a filter, which is confirmed first. */
export async function notificationsResend({
  leads,
  yes,
  ...filter
}: FilterOptions & Readonly<{ leads: readonly string[]; yes?: boolean }>): Promise<void> {
  const hasFilter = Object.keys(filter).length > 0;
  if (hasFilter && leads.length > 0) throw new UsageError('--lead takes no filter beside it.');
  if (leads.length > 0) {
    const ids = [...new Set(leads.map((id) => id.toLowerCase()))];
    const wrong = ids.find((id) => !isUuid(id));
    if (wrong !== undefined) throw new UsageError(`--lead must be the id of a lead, not ${wrong}.`);
    return withServices('notifications', async (services) => {
      await requireLeads(services, ids);
      await sendAgain(services, ids);
    });
  }
  if (filter.state === undefined) throw new UsageError('Either --lead or --state is required.');
  if (filter.state === withheld) {
    throw new UsageError('What is withheld as spam is sent by giving its leads another state than spam.');
  }
  const given = readFilter(filter, Object.values(RESENDABLE), []);
  if (!yes && !process.stdin.isTTY) {
    throw new UsageError('Without a terminal to ask, --yes is required to send all e-mails of a filter.');
  }
  await withServices('notifications', async (services) => {
    const matching = await leadsOf(services.db, await resolve(services, given));
    if (matching.length > 0 && !yes && !(await isConfirmed(matching.length)))
      return void print('Nothing sent.');
    await sendAgain(services, matching);
  });
}
