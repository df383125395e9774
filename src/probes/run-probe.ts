import { z } from 'zod';
import type { Db } from '../db/client.js';
import { ApiError } from '../errors.js';
import type { Forms, PlacedForm } from '../forms/serving/forms.service.js';
import type { Clock } from '../lib/clock.js';
import { untilAborted, withDeadline } from '../lib/deadline.js';
import type { Outbound } from '../lib/outbound/outbound.js';
import { VERSION } from '../lib/telemetry/version.js';
import type { ProbeTokens } from '../submissions/submit/probe-token.js';
import type { Websites } from '../websites/websites.service.js';
import { waitForEmail } from './email-outcome.js';
import { fillForm } from './form-filling.js';
import { createGatewayClient, type GatewayClient } from './gateway-client.js';
import { type CheckedWebsite, fetchPage, requireScript } from './page.js';
import {
  ProbeFailure,
  type ProbeFinding,
  type ProbeOutcome,
  type ProbeStep,
  type ProbeStepName,
} from './probe-step.js';
import { solveChallenge } from './solve.js';

/** Bounds of the steps that wait for others than the gateway. All steps together take less than a proxy waits. */
const SOLVE_TIMEOUT_MS = 8_000;
const EMAIL_TIMEOUT_MS = 12_000;

const USER_AGENT = `Formgate-Probe/${VERSION}`;

const CONFIGURATION = z.object({ forms: z.record(z.string(), z.object({ locale: z.string() }).nullable()) });
const SIGNATURE = z.object({ signature: z.string(), timestamp: z.union([z.number(), z.string()]) });
const CHAIN = z.object({ chain: z.array(z.object({ key: z.string(), type: z.string() })) });
const CHALLENGE = z.object({
  algorithm: z.literal('SHA-256'),
  challenge: z.string(),
  salt: z.string(),
  signature: z.string(),
  maxnumber: z.number().int(),
});
const RESULT = z.object({ lead_id: z.uuid() });

export type ProbeServices = Readonly<{
  db: Db;
  websites: Pick<Websites, 'find'>;
  forms: Pick<Forms, 'findPlaced'>;
  outbound: Pick<Outbound, 'get'>;
  probeTokens: Pick<ProbeTokens, 'issue'>;
  clock: Clock;
  publicUrl: string;
  /** What the probe enters as the visitor's e-mail address. */
  mailbox: string;
}>;

export type ProbedWebsite = CheckedWebsite;

type Run = Readonly<{
  website: ProbedWebsite;
  probeId: string;
  /** Aborted when the time of the probe is over, or the process stops. */
  signal: AbortSignal;
  /** Aborted when the process stops, which says nothing about the website. */
  stopping: AbortSignal;
  /** Receives each step as it ends. */
  onStep(step: ProbeStep): Promise<void>;
}>;

/** What a probe came to. */
export type ProbeResult = Readonly<{ ok: boolean; certificateExpiresAt: Date | null }>;

/** The result of a step that has passed: its value, and what is reported of it. */
type StepResult<Value> = Readonly<{ value: Value; detail?: string; finding?: ProbeFinding }>;

/** A form of the website with values for it. */
type FilledForm = Readonly<{
  slug: string;
  version: number;
  locale: string;
  values: Readonly<Record<string, unknown>>;
}>;

/** Words an error as what a step has found. @throws the error when it is none that a step may end with. */
function failureOf(error: unknown, { signal, stopping }: Pick<Run, 'signal' | 'stopping'>): ProbeFailure {
  // The services answer 503 while PostgreSQL is away.
  const failure = error instanceof ApiError ? new ProbeFailure('gateway_unavailable', error.message) : error;
  const isExpected = failure instanceof ProbeFailure;
  if (signal.aborted && (isExpected || error === signal.reason)) {
    return new ProbeFailure(stopping.aborted ? 'interrupted' : 'out_of_time');
  }
  if (isExpected) return failure;
  throw error;
}

/**
 * Runs the steps of a probe: each is timed and reported, and one that fails throws its ProbeFailure afterwards.
 * An aborted signal ends a step at once, whatever it waits for.
 */
function createSteps({ signal, stopping, onStep }: Pick<Run, 'signal' | 'stopping' | 'onStep'>) {
  return async <Value>(name: ProbeStepName, work: () => Promise<StepResult<Value>>): Promise<Value> => {
    const startedAt = performance.now();
    const report = (outcome: ProbeOutcome) =>
      onStep({ name, ...outcome, ms: Math.round(performance.now() - startedAt) });
    try {
      const { value, detail = null, finding = null } = await untilAborted(signal, work);
      await report({ ok: true, finding, detail });
      return value;
    } catch (error) {
      const failure = failureOf(error, { signal, stopping });
      const { finding, detail } = failure;
      await report({ ok: false, finding, detail });
      throw failure;
    }
  };
}

/** Finds the first form that the website's pages can show. @throws ProbeFailure when there is none. */
async function firstForm({ websites, forms }: ProbeServices, websiteId: string): Promise<PlacedForm> {
  const website = await websites.find(websiteId);
  const placements = [...(website?.placements ?? [])].sort((one, other) => one.formId - other.formId);
  for (const { slug } of placements) {
    const form = website && (await forms.findPlaced(website, slug));
    if (form) return form;
  }
  throw new ProbeFailure('no_form');
}

/** Loads the definition of a form as the script does, and fills the form in. */
async function loadForm(
  services: ProbeServices,
  website: ProbedWebsite,
  client: GatewayClient,
): Promise<StepResult<FilledForm>> {
  const { definition, patterns } = await firstForm(services, website.id);
  const { slug, version } = definition;
  const entry = `${slug}~`;
  const { forms } = await client(CONFIGURATION, { path: `forms/config?f=${encodeURIComponent(entry)}` });
  const served = forms[entry];
  if (!served) throw new ProbeFailure('no_form', slug);
  const filler = { email: services.mailbox, url: website.url, now: services.clock() };
  const { values, missing } = await fillForm(definition, patterns, filler);
  if (missing.length > 0) throw new ProbeFailure('fields_not_filled', missing.join(', '));
  return { value: { slug, version, locale: served.locale, values }, detail: slug };
}

/** Solves the first proof of work of the chain. The value is null when there is a chain without one. */
async function solveCaptcha(
  client: GatewayClient,
  signal: AbortSignal,
): Promise<StepResult<Record<string, string> | null>> {
  const { chain } = await client(CHAIN, { path: 'captcha' });
  if (chain.length === 0) return { value: {} };
  const keys = chain.map(({ key }) => key).join(', ');
  const proof = chain.find(({ type }) => type === 'altcha');
  if (!proof) return { value: null, detail: keys, finding: 'captcha_not_probed' };
  const finding = chain[0] === proof ? {} : ({ finding: 'captcha_first_not_probed' } as const);
  const challenge = await client(CHALLENGE, { path: 'captcha/altcha/challenge' });
  const token = await withDeadline(SOLVE_TIMEOUT_MS, signal, (solving) => solveChallenge(challenge, solving));
  if (token === null) throw new ProbeFailure('captcha_unsolved', proof.key);
  const value = { 'X-Captcha-Provider': proof.key, 'X-Captcha-Token': token };
  return { value, detail: proof.key, ...finding };
}

/**
 * Probes a website through the public endpoints: each request is one that the script in a visitor's page sends, and the
 * submission is marked as a test lead, which is deleted when the probe ends.
 *
 * The page is looked at by itself. Each later step needs those before it, so the first that fails ends the probe.
 *
 * @returns whether every step passed, and when the certificate of the page expires.
 */
export async function runProbe(services: ProbeServices, run: Run): Promise<ProbeResult> {
  const { db, outbound, probeTokens, publicUrl } = services;
  const { website, probeId, signal } = run;
  const step = createSteps(run);
  let origin = `https://${website.host}`;
  let certificateExpiresAt: Date | null = null;
  let leadId: string | null = null;

  async function lookAtPage(): Promise<StepResult<true>> {
    const page = await fetchPage(website, {
      outbound,
      userAgent: USER_AGENT,
      signal,
      onCertificate: (expiresAt) => {
        certificateExpiresAt = expiresAt;
      },
    });
    origin = page.url.origin;
    await requireScript(page, website, publicUrl);
    return { value: true, detail: page.url.href };
  }

  async function submitTestLead(): Promise<void> {
    const client = createGatewayClient({
      publicUrl,
      websiteId: website.id,
      origin,
      userAgent: USER_AGENT,
      signal,
    });
    const form = await step('configuration', () => loadForm(services, website, client));
    const { signature, timestamp } = await step('signature', async () => ({
      value: await client(SIGNATURE, { path: 'signature' }),
    }));
    const captcha = await step('captcha', () => solveCaptcha(client, signal));
    if (!captcha) return;
    const { lead_id: id } = await step('recorded', async () => ({
      value: await client(RESULT, {
        path: `forms/${form.slug}/submit?form_version=${form.version}`,
        headers: {
          ...captcha,
          'X-Website-Signature': signature,
          'X-Website-Timestamp': String(timestamp),
          Authorization: probeTokens.issue(website.id, probeId),
        },
        body: { ...form.values, page_url: website.url, form_locale: form.locale },
      }),
    }));
    leadId = id;
    await step('email', async () => {
      const detail = await withDeadline(EMAIL_TIMEOUT_MS, signal, (waiting) => waitForEmail(db, id, waiting));
      return { value: true, ...(detail && { detail }) };
    });
  }

  /** Tells whether no step of a part has failed, each of which reports its failure. @throws anything else. */
  const hasPassed = (part: Promise<unknown>): Promise<boolean> =>
    part.then(
      () => true,
      (error) => {
        if (error instanceof ProbeFailure) return false;
        throw error;
      },
    );

  const isPageRight = await hasPassed(step('page', lookAtPage));
  try {
    const isFormRight = await hasPassed(submitTestLead());
    return { ok: isFormRight && isPageRight, certificateExpiresAt };
  } finally {
    if (leadId) await db.orm.submission.deleteMany({ where: { id: leadId, testRecipient: { not: null } } });
  }
}
