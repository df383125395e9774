import { DAY_MS, HOUR_MS } from '../../lib/durations.js';
import { monthText } from '../../plans/quota.queries.js';
import { DEMO_HOSTS, DEMO_TEAM } from './agency.js';
import type { Chance } from './chance.js';
import type { Lead, Row } from './leads.js';
import { ANSWERS } from './texts.js';

/** The e-mails about the leads, with every attempt, and what of the quotas they used. */
type Mailed = Readonly<{
  notifications: Row[];
  attempts: Row[];
  requested: Row[];
  requestedAttempts: Row[];
  usages: Row[];
  notices: Row[];
}>;

type Attempt = Readonly<{
  afterS: number;
  tookMs: number;
  outcome: 'sent' | 'deferred' | 'failed' | 'unknown';
  code: number | null;
  detail: string;
  answers?: Readonly<Record<string, string>>;
  recipients: readonly string[];
}>;

type Story = Readonly<{
  state: 'sent' | 'failed' | 'pending' | 'skipped_quota';
  deliveredTo?: readonly string[];
  refused?: readonly string[];
  attempts: readonly Attempt[];
}>;

/** Units of a month that the team of the small plan has used, now and in the month before. */
const USED_NOW = 94;
const USED_BEFORE = 100;
/** Latest e-mails of the month that the quota held back, before the plan was raised to what leaves room for them. */
const HELD_NOW = 3;
const MAILBOX_GONE_SINCE_DAYS = 6;
/** Pauses between attempts at a mailbox that greylists, in seconds. */
const GREYLISTED_S = [0, 6, 17, 39, 84, 171];
const NEXT_ATTEMPT_S = 170;

const HELD: Story = { state: 'skipped_quota', attempts: [] };

const endOfLastMonth = (now: Date) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - 1);

const monthOf = (at: Date) => `${monthText(at)}-01`;

/** Draws what the mail server did with an e-mail. */
function storyOf(chance: Chance, { placement, at }: Lead, now: Date, isLatest: boolean): Story {
  const { host, recipients, team } = placement;
  const accepted = `${ANSWERS.sent} ${chance.text(11)}`;
  const tookMs = chance.whole(90, 1_400);
  const sent = { tookMs, outcome: 'sent', code: 250, detail: accepted } as const;
  const deferred = { tookMs: 310, outcome: 'deferred', code: 451, detail: ANSWERS.greylisted } as const;
  const ageDays = (now.getTime() - at.getTime()) / DAY_MS;
  const lastMonth = endOfLastMonth(now);
  if (team === DEMO_TEAM && at <= lastMonth && at.getTime() > lastMonth.getTime() - 3 * DAY_MS) {
    return HELD;
  }
  if (host === DEMO_HOSTS.mailboxGone && ageDays < MAILBOX_GONE_SINCE_DAYS && recipients.length === 1) {
    const refusal = { outcome: 'failed', code: 550, detail: ANSWERS.gone } as const;
    return {
      state: 'failed',
      refused: recipients,
      attempts: [{ ...refusal, afterS: 1, tookMs, recipients }],
    };
  }
  const [first = '', second] = recipients;
  if (second && host === DEMO_HOSTS.greylisting && isLatest) {
    const answers = { [first]: accepted, [second]: ANSWERS.greylisted };
    const detail = `1 of 2 recipients deferred. ${ANSWERS.greylisted} ${accepted}`;
    const attempts = GREYLISTED_S.map((afterS, index) =>
      index === 0
        ? { ...deferred, afterS, detail, answers, recipients }
        : { ...deferred, afterS, recipients: [second] },
    );
    return { state: 'pending', deliveredTo: [first], attempts };
  }
  if (second && chance.isTrue(0.06)) {
    const answers = { [first]: accepted, [second]: ANSWERS.full };
    const detail = `1 of 2 recipients refused. ${ANSWERS.full} ${accepted}`;
    const attempts = [{ ...sent, afterS: 1, detail, answers, recipients }];
    return { state: 'sent', deliveredTo: [first], refused: [second], attempts };
  }
  const last = { ...sent, recipients };
  if (chance.isTrue(0.03)) {
    const tries = GREYLISTED_S.slice(0, 4).map((afterS) => ({ ...deferred, afterS, recipients }));
    return { state: 'sent', deliveredTo: recipients, attempts: [...tries, { ...last, afterS: 320 }] };
  }
  if (ageDays > 1 && chance.isTrue(0.01)) {
    const silence = { outcome: 'unknown', code: null, detail: ANSWERS.silent, tookMs: 600_000 } as const;
    return {
      state: 'sent',
      deliveredTo: recipients,
      attempts: [
        { ...silence, afterS: 1, recipients },
        { ...last, afterS: 4_210 },
      ],
    };
  }
  return { state: 'sent', deliveredTo: recipients, attempts: [{ ...last, afterS: 0 }] };
}

const attemptRows = (key: Row, at: Date, attempts: readonly Attempt[]): Row[] =>
  attempts.map(({ afterS, tookMs, outcome, code, detail, answers = null, recipients }, index) => {
    const started = at.getTime() + 200 + afterS * 1_000;
    return {
      ...key,
      number: index + 1,
      outcome,
      smtp_code: code,
      detail,
      answers,
      recipients,
      started_at: new Date(started),
      finished_at: new Date(started + tookMs),
    };
  });

function emailRow(
  at: Date,
  { state, deliveredTo = [], refused = [], attempts }: Story,
  rows: Row[],
  now: Date,
): Row {
  const isSent = deliveredTo.length > 0;
  const retries = attempts.filter(({ outcome }) => outcome === 'deferred').length;
  return {
    state,
    attempts: attempts.length,
    retries,
    created_at: at,
    retrying_since: at,
    unconfirmed: attempts.filter(({ outcome }) => outcome === 'unknown').length,
    next_attempt_at: state === 'pending' ? new Date(now.getTime() + NEXT_ATTEMPT_S * 1_000) : at,
    quota_claimed_at: state === 'skipped_quota' ? null : at,
    delivered_to: deliveredTo,
    refused,
    sent_at: isSent ? rows.at(-1)!.finished_at : null,
  };
}

/** What people sent once more: the newest leads of the first team that are old enough. */
function drawRequests(chance: Chance, leads: readonly Lead[], by: number, now: Date) {
  const old = leads.filter(({ at, isSpam }) => !isSpam && now.getTime() - at.getTime() > 2 * DAY_MS);
  const wishes = [
    {
      kind: 'forwarded',
      to: ['chantiers@lumen-paysage.example'],
      note: 'Peux-tu passer voir le terrain cette semaine ?',
    },
    { kind: 'forwarded', to: ['olivia@harbourside.example'], note: null },
    { kind: 'sent_again', to: null, note: null },
  ];
  const requested: Row[] = [];
  const requestedAttempts: Row[] = [];
  const months: [Lead, Date][] = [];
  for (const [index, { kind, to, note }] of wishes.entries()) {
    const lead = old.at(-1 - index * 4);
    if (!lead) continue;
    const at = new Date(lead.at.getTime() + chance.whole(2, 30) * HOUR_MS);
    const recipients = to ?? [...lead.placement.recipients];
    const story = storyOf(
      chance,
      { ...lead, at, placement: { ...lead.placement, host: '', recipients: [recipients[0]!] } },
      now,
      false,
    );
    const email_id = chance.idAt(at);
    const rows = attemptRows({ email_id }, at, story.attempts);
    requestedAttempts.push(...rows);
    requested.push({
      email_id,
      submission_id: lead.row.id,
      kind,
      recipients: [recipients[0]],
      note,
      requested_by_id: by,
      ...emailRow(at, story, rows, now),
      quota_claimed_at: at,
    });
    months.push([lead, at]);
  }
  return { requested, requestedAttempts, months };
}

/** Draws what became of the e-mails about the leads. */
export function drawMail(chance: Chance, leads: readonly Lead[], staffId: number, now: Date): Mailed {
  const notifications: Row[] = [];
  const attempts: Row[] = [];
  const used = new Map<string, { team_id: number; month: string; used: number }>();
  const use = (teamId: number, at: Date, least = 0, units = 1) => {
    const month = monthOf(at);
    const before = used.get(`${teamId} ${month}`)?.used ?? 0;
    used.set(`${teamId} ${month}`, { team_id: teamId, month, used: Math.max(before + units, least) });
  };
  const latest = leads.findLast(({ placement }) => placement.host === DEMO_HOSTS.greylisting);
  const held = leads
    .filter(
      ({ placement, at, isSpam }) => placement.team === DEMO_TEAM && !isSpam && at > endOfLastMonth(now),
    )
    .slice(-HELD_NOW);
  for (const lead of leads) {
    const submission_id = lead.row.id;
    const story = held.includes(lead) ? HELD : storyOf(chance, lead, now, lead === latest);
    const rows = attemptRows({ submission_id }, lead.at, story.attempts);
    attempts.push(...rows);
    notifications.push({ submission_id, ...emailRow(lead.at, story, rows, now) });
    if (story.state !== 'skipped_quota') use(lead.placement.teamId, lead.at);
  }
  const { requested, requestedAttempts, months } = drawRequests(chance, leads, staffId, now);
  for (const [lead, at] of months) use(lead.placement.teamId, at);
  const notices: Row[] = [];
  const small = leads.find(({ placement }) => placement.team === DEMO_TEAM)?.placement.teamId;
  if (small !== undefined) {
    const before = endOfLastMonth(now);
    // Units stay used when a lead is deleted.
    use(small, now, USED_NOW, 0);
    use(small, before, USED_BEFORE, 0);
    for (const [month, percent] of [
      [now, 80],
      [before, 80],
      [before, 100],
    ] as const) {
      notices.push({
        team_id: small,
        month: monthOf(month),
        percent,
        state: 'sent',
        attempts: 1,
        unconfirmed: 0,
        next_attempt_at: now,
        sent_at: now,
        created_at: now,
      });
    }
  }
  return { notifications, attempts, requested, requestedAttempts, usages: [...used.values()], notices };
}
