import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../dist/modules/embedded/free-port.js';
import { listBreakages, PROBE } from '../fleet/breakages.js';
import { createAuthority } from '../fleet/certificates.js';
import { fleetDocument, PARTS, STEP } from '../fleet/document.js';
import { recordHistories } from '../fleet/histories.js';
import { serveNames } from '../fleet/names.js';
import { pageWithScript, servePages } from '../fleet/pages.js';
import { serveProvider } from '../fleet/provider.js';
import { createWatch } from '../fleet/watch.js';
import { openPanel } from '../panel.js';
import { until } from '../processes.js';
import { createRandom } from '../random.js';

const ROW = 'J';

/** Within this time the list is right (docs/staff.md). */
const WITHIN_MS = 60_000;

/** Websites that the daily job finds due at once, as after an outage: more than it probes in a minute. */
const DUE_AT_ONCE = 40;

/** Probes of a team that a gateway runs at once. */
const AT_ONCE = 2;

/** Probes of an address in a minute, by the limit of captcha challenges. */
const PER_MINUTE = 30;

/** Lets the minute pass that limits count, at once. */
const endMinute = ({ redisCli }) =>
  redisCli('eval', "for _, key in ipairs(redis.call('keys', 'limit:*')) do redis.call('del', key) end", '0');

/** Has the workers probe websites at once, as after an outage, and waits for the end. @returns how many failed. */
async function probeDaily({ postgres }, ids) {
  await postgres.query(
    `INSERT INTO scheduled_probes (website_id, due_at) SELECT id, now() FROM unnest($1::uuid[]) id
     ON CONFLICT (website_id) DO UPDATE SET due_at = now()`,
    [ids],
  );
  const ended = () =>
    postgres.query('SELECT ok FROM probes WHERE website_id = ANY ($1) AND ok IS NOT NULL', [ids]);
  await until('the due probes have ended', async () => (await ended()).length >= ids.length, 240_000);
  return (await ended()).filter(({ ok }) => !ok).length;
}

/** Probes websites on demand. @returns those whose probe failed, with the step. */
async function probeNow(stack, panel, ids) {
  const failed = [];
  for (let start = 0; start < ids.length; start += PER_MINUTE) {
    await endMinute(stack);
    const left = ids.slice(start, start + PER_MINUTE);
    const work = async () => {
      for (let id = left.shift(); id; id = left.shift()) {
        const { data, errors } = await panel.ask(PROBE, { id });
        if (!data?.runProbe.ok) failed.push({ id, step: errors ?? data.runProbe.steps.at(-1) });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
  return failed;
}

/** Waits until the workers have counted and checked everything once. */
async function awaitChecks({ postgres }) {
  await postgres.query(
    `INSERT INTO daily_tasks (name, due_at) VALUES ('sender_dns', now()) ON CONFLICT (name) DO UPDATE SET due_at = now()`,
  );
  const hasNone = async (condition) => (await postgres.query(`SELECT 1 WHERE ${condition}`)).length === 0;
  await until(
    'every day is counted',
    () => hasNone('EXISTS (SELECT FROM daily_counts WHERE is_stale)'),
    180_000,
  );
  await until('every form is examined', () =>
    hasNone('(SELECT count(*) FROM forms) > (SELECT count(*) FROM form_findings)'),
  );
  // On a busy machine DNS may not answer in time, and the next check would be half an hour later.
  const isSenderChecked = async () => {
    if (await hasNone('(SELECT count(*) FROM sender_checks) < 4')) return true;
    await postgres.query(
      `UPDATE daily_tasks SET due_at = now() WHERE name = 'sender_dns' AND due_at > now() + interval '1 minute'`,
    );
    return false;
  };
  await until('the sender is checked', isSenderChecked, 240_000);
}

/** Breaks one thing, waits for its item alone, mends it, and waits until nothing is listed. @returns the row. */
async function breakAndMend(watch, breakage, before) {
  const { name, kind, place, mend } = breakage;
  const item = { kind, place };
  await breakage.break();
  let isEarly = false;
  if (breakage.pause) {
    isEarly = (await watch.items()).some((each) => each.kind === kind && each.place === place);
    await breakage.pause();
  }
  const appeared = await watch.until([...before, item], WITHIN_MS);
  const severity = appeared.list.find((each) => each.kind === kind)?.severity.toLowerCase();
  await mend?.();
  const gone = mend ? await watch.until(before, WITHIN_MS) : { isRight: true, seconds: 0, said: 'stays' };
  return {
    row: ROW,
    promise: mend ? `${name}: an item until it is mended` : `${name}: an item`,
    figure: [
      appeared.isRight ? `${severity} after ${appeared.seconds.toFixed(1)} s` : `lists ${appeared.said}`,
      gone.isRight ? `gone after ${gone.seconds.toFixed(1)} s` : `then still ${gone.said}`,
      ...(isEarly ? ['too early'] : []),
    ].join(', '),
    bar: `${kind} alone, ≤ ${WITHIN_MS / 1_000} s each`,
    ok: appeared.isRight && gone.isRight && !isEarly,
  };
}

async function drill({ open, quick, seed, outside }) {
  const { authority, served, provider, names } = outside;
  const { pages, credentials } = served;
  const stack = await open({
    workers: 1,
    isReachable: true,
    document: fleetDocument(pages),
    env: {
      OUTBOUND_ALLOW: '127.0.0.0/8',
      TURNSTILE_VERIFY_URL: provider.url,
      NODE_EXTRA_CA_CERTS: authority.file,
      BOUNCE_DOMAIN: 'bounces.formgate.test',
      BOUNCE_PORT: String(await freePort()),
      DNS_SERVERS: names.server,
    },
  });
  const ids = pages.map((_, number) => stack.websites[`site${number}`]);
  for (const [number, page] of pages.entries()) page.html = pageWithScript(stack.env.PUBLIC_URL, ids[number]);
  const tokens = { client: await stack.tokenOf('client0'), tight: await stack.tokenOf('tight') };
  const panel = await openPanel(stack);
  const watch = createWatch(panel);

  const leads = await recordHistories(stack, {
    websiteIds: ids,
    random: createRandom(seed),
    busy: new Set([PARTS.silent]),
  });
  const due = quick ? [] : ids.slice(0, DUE_AT_ONCE);
  const [failedDaily] = await Promise.all([probeDaily(stack, due), awaitChecks(stack)]);
  const once = await probeNow(stack, panel, ids.slice(due.length));
  // One failure may be a moment's trouble of this machine; two in a row are an item.
  const twice = await probeNow(
    stack,
    panel,
    once.map(({ id }) => id),
  );
  const healthy = await watch.until([], 0);
  const rows = [
    {
      row: ROW,
      promise: 'a healthy fleet has no item: pages, probes, histories, DNS',
      figure: `${healthy.list.length} of ${ids.length} websites with ${leads} leads; probes failed: ${failedDaily} of the daily job, ${once.length} once, ${twice.length} twice`,
      bar: `0 of ${ids.length}; 0 twice`,
      ok: healthy.isRight && twice.length === 0,
    },
  ];
  if (!healthy.isRight) console.log(`fleet: ${healthy.said}`);
  if (once.length > 0) console.log(`fleet: ${JSON.stringify(once.slice(0, 3))}`);
  const breakages = listBreakages(stack, {
    panel,
    pages,
    ids,
    authority,
    credentials,
    provider,
    tokens: { of: (number) => (number === ids.length - 1 ? tokens.tight : tokens.client) },
  });
  await endMinute(stack);
  for (const breakage of breakages) rows.push(await breakAndMend(watch, breakage, healthy.list));
  await stack.close();
  return rows;
}

/**
 * A healthy fleet of websites with pages, histories and probes, of which nothing needs attention; then what breaks in
 * an agency's day, one thing after the other: each is an item within a minute of its cause, alone, and gone when
 * mended.
 *
 * What takes a day or an hour is brought about at once: probes on demand, the two hours of a deferred e-mail and the
 * hour after a bounce by moving rows, the days of silence by rewriting the website's past.
 */
export async function breakFleet({ directory, open, quick, seed }) {
  await mkdir(directory, { recursive: true });
  const authority = await createAuthority(join(directory, 'certificates'));
  const served = await servePages(quick ? 24 : 500, authority);
  const provider = await serveProvider(STEP.secret);
  const names = await serveNames({
    'formgate.test': { txt: 'v=spf1 ip4:192.0.2.1 -all' },
    '_dmarc.formgate.test': { txt: 'v=DMARC1; p=reject' },
    'bounces.formgate.test': { mx: 'mx.formgate.test', txt: 'v=spf1 ip4:192.0.2.1 -all' },
  });
  try {
    return await drill({ open, quick, seed, outside: { authority, served, provider, names } });
  } finally {
    for (const each of [served, provider, names]) each.close();
  }
}
