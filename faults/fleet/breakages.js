import { until } from '../processes.js';
import { domainOf, PARTS, STEP, TIGHT_QUOTA } from './document.js';
import { silence } from './histories.js';
import { pageWithScript } from './pages.js';
import { bounce, mailOf, submitAsVisitor, submitLead } from './visitors.js';

/** Probes a website on demand. */
export const PROBE =
  'mutation ($id: ID!) { runProbe(websiteId: $id) { ok steps { name ok finding detail } } }';
const SAVE_CHAIN = `mutation ($id: ID!, $links: [CaptchaLinkInput!]!) {
  saveCaptchaChain(websiteId: $id, links: $links) { key } }`;
const UPDATE_WEBSITE =
  'mutation ($id: ID!, $input: WebsiteChangesInput!) { updateWebsite(id: $id, input: $input) { id } }';
const UPDATE_TEAM =
  'mutation ($id: ID!, $planId: ID!) { updateTeam(id: $id, input: { planId: $planId }) { id } }';
const SEND_AGAIN =
  'mutation ($id: ID!) { sendSelectedAgain(selection: { ids: [$id] }) { outcomes { outcome } } }';
const SEND_HELD = 'mutation ($id: ID!) { sendHeld(teamId: $id) { handedOver } }';

/** Failures in a row of the daily probe that make an item. */
const FAILURES = 2;

const SILENT_DAYS = 9;

/**
 * What is broken, one after the other: how, the item that follows, how it is mended. A `pause` stands for hours that
 * pass, by rows that are moved; before it there is no item yet.
 *
 * @returns {{ name: string, kind: string, place: string, also?: string, break(): Promise<unknown>, pause?():
 *   Promise<unknown>, mend(): Promise<unknown> }[]} `also`: the kind of a further item.
 */
export function listBreakages(stack, { panel, pages, ids, tokens, authority, credentials, provider }) {
  const { postgres, sink } = stack;
  const ask = async (query, variables) => {
    const { data, errors } = await panel.ask(query, variables);
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };
  const placeOf = (number) => ({ place: `site${number}` });
  const probe = async (number, times = 1) => {
    for (let time = 0; time < times; time += 1) await ask(PROBE, { id: ids[number] });
  };
  const lead = (number) => submitLead(stack, { websiteId: ids[number], token: tokens.of(number) });
  const visit = (number) =>
    submitAsVisitor(stack, { websiteId: ids[number], origin: new URL(pages[number].url).origin });
  const serve = (number, html) => {
    pages[number].html = html;
  };
  const right = (number) => pageWithScript(stack.env.PUBLIC_URL, ids[number]);
  const certify = async (number, days) =>
    pages[number].certify(days === null ? credentials : await authority.issue([pages[number].address], days));
  const saveChain = (secret) =>
    ask(SAVE_CHAIN, {
      id: ids[PARTS.captcha],
      links: [{ key: STEP.key, siteKey: STEP.site_key, secret }],
    });
  const tight = ids.length - 1;
  let greylisted;
  let cameBack;
  const comeBack = async () => {
    cameBack = await lead(PARTS.bouncing);
    await bounce(stack, await mailOf(stack, cameBack));
  };
  let renewed = 0;

  return [
    {
      name: 'falls silent',
      kind: 'SILENT_WEBSITE',
      ...placeOf(PARTS.silent),
      break: () => silence(stack, ids[PARTS.silent], SILENT_DAYS),
      mend: () => lead(PARTS.silent),
    },
    {
      name: 'page without script',
      kind: 'PAGE_WITHOUT_SCRIPT',
      ...placeOf(PARTS.scriptless),
      async break() {
        serve(PARTS.scriptless, '<!doctype html><title>New design</title>');
        await probe(PARTS.scriptless, FAILURES);
      },
      async mend() {
        serve(PARTS.scriptless, right(PARTS.scriptless));
        await probe(PARTS.scriptless);
      },
    },
    {
      name: 'wrong id',
      kind: 'PAGE_WITHOUT_SCRIPT',
      ...placeOf(PARTS.misnamed),
      async break() {
        serve(PARTS.misnamed, right(PARTS.scriptless));
        await probe(PARTS.misnamed, FAILURES);
      },
      async mend() {
        serve(PARTS.misnamed, right(PARTS.misnamed));
        await probe(PARTS.misnamed);
      },
    },
    {
      name: 'certificate about to end',
      kind: 'CERTIFICATE_EXPIRING',
      ...placeOf(PARTS.certified),
      async break() {
        await certify(PARTS.certified, 10);
        await probe(PARTS.certified);
      },
      async mend() {
        await certify(PARTS.certified, null);
        await probe(PARTS.certified);
      },
    },
    {
      name: 'expired certificate',
      kind: 'PROBE_FAILED',
      ...placeOf(PARTS.certified),
      async break() {
        await certify(PARTS.certified, -1);
        await probe(PARTS.certified, FAILURES);
      },
      async mend() {
        await certify(PARTS.certified, null);
        await probe(PARTS.certified);
      },
    },
    {
      name: 'captcha secret revoked, restored',
      kind: 'CAPTCHA_MISCONFIGURED',
      ...placeOf(PARTS.captcha),
      async break() {
        provider.secrets.clear();
        await visit(PARTS.captcha);
      },
      async mend() {
        provider.secrets.add(STEP.secret);
        await visit(PARTS.captcha);
      },
    },
    {
      name: 'captcha secret revoked, renewed',
      kind: 'CAPTCHA_MISCONFIGURED',
      ...placeOf(PARTS.captcha),
      async break() {
        provider.secrets.clear();
        await visit(PARTS.captcha);
      },
      async mend() {
        renewed += 1;
        const secret = `secret-${renewed}`;
        provider.secrets.add(secret);
        await saveChain(secret);
      },
    },
    {
      name: 'mailbox bounces, repaired',
      kind: 'RECIPIENT_BOUNCING',
      ...placeOf(PARTS.bouncing),
      break: comeBack,
      async mend() {
        await postgres.query(`UPDATE bounces SET reported_at = reported_at - interval '2 hours'`);
        await ask(SEND_AGAIN, { id: cameBack });
        const later = await lead(PARTS.bouncing);
        await mailOf(stack, later);
        await until('it is recorded as sent', async () => {
          const hour = [later];
          await postgres.query(
            `UPDATE submissions SET created_at = created_at - interval '61 minutes' WHERE id = $1`,
            hour,
          );
          return (
            await postgres.query(
              `UPDATE notifications SET sent_at = sent_at - interval '61 minutes'
                WHERE submission_id = $1 AND sent_at IS NOT NULL RETURNING 1`,
              hour,
            )
          ).length;
        });
      },
    },
    {
      name: 'mailbox bounces, replaced',
      kind: 'RECIPIENT_BOUNCING',
      ...placeOf(PARTS.bouncing),
      break: comeBack,
      async mend() {
        await ask(UPDATE_WEBSITE, { id: ids[PARTS.bouncing], input: { email: 'new@other.test' } });
        await ask(SEND_AGAIN, { id: cameBack });
      },
    },
    {
      name: 'mail server greylists',
      kind: 'MAIL_HELD',
      ...placeOf(PARTS.greylisted),
      async break() {
        await sink.ask('behave', { rules: { [domainOf(PARTS.greylisted)]: '451 4.7.1 Greylisted' } });
        greylisted = await lead(PARTS.greylisted);
        await until(
          'it is put off',
          async () =>
            (
              await postgres.query('SELECT 1 FROM notifications WHERE submission_id = $1 AND retries > 0', [
                greylisted,
              ])
            ).length,
        );
      },
      pause: () =>
        postgres.query(
          `UPDATE notifications SET created_at = created_at - interval '121 minutes',
                                    retrying_since = retrying_since - interval '121 minutes'
            WHERE submission_id = $1`,
          [greylisted],
        ),
      async mend() {
        await sink.ask('behave', { rules: {} });
        await mailOf(stack, greylisted);
      },
    },
    {
      name: 'quota nearly used',
      kind: 'QUOTA_NEAR',
      place: 'tight',
      async break() {
        for (let sent = 0; sent < 0.8 * TIGHT_QUOTA; sent += 1) await lead(tight);
      },
      // The next breakage goes on from here.
      mend: null,
    },
    {
      name: 'quota used up',
      kind: 'QUOTA_REACHED',
      place: 'tight',
      async break() {
        for (let sent = 0; sent < 0.3 * TIGHT_QUOTA; sent += 1) await lead(tight);
        await until(
          'one is held',
          async () =>
            (await postgres.query(`SELECT 1 FROM notifications WHERE state = 'skipped_quota'`)).length,
        );
      },
      async mend() {
        const [{ team, plan }] = await postgres.query(
          `SELECT t.id AS team, p.id AS plan FROM teams t, plans p WHERE t.slug = 'tight' AND p.code = 'wide'`,
        );
        await ask(UPDATE_TEAM, { id: team, planId: plan });
        await ask(SEND_HELD, { id: team });
        await until(
          'none is held',
          async () =>
            (await postgres.query(`SELECT 1 FROM notifications WHERE state IN ('skipped_quota', 'pending')`))
              .length === 0,
        );
      },
    },
  ];
}
