import { z } from 'zod';
import { type Actor, recordAudit } from '../audit/audit.js';
import { tooManyRequests, websiteNotFound } from '../errors.js';
import type { Probe } from '../generated/prisma/client.js';
import type { Limiter } from '../http/limits/rate-limit.js';
import { requirePassing } from '../http/limits/rate-limit.js';
import { withDeadline } from '../lib/deadline.js';
import { DAY_MS, MINUTE_MS } from '../lib/durations.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { defineJob } from '../queue/define-job.js';
import { readLastProbes } from './last-probes.queries.js';
import { readProbeDays } from './probe-days.queries.js';
import type { ProbeStep } from './probe-step.js';
import { type ProbedWebsite, type ProbeResult, type ProbeServices, runProbe } from './run-probe.js';

/**
 * Probes that this process runs at once on demand, and of these for one team, so that the slow pages of one leave
 * room for others. A further one is refused.
 */
const MAX_CONCURRENT = 8;
const MAX_OF_TEAM = 2;

const BUSY_RETRY_S = 10;

/** Bound of a probe, within the 30 seconds for which the panel waits for an answer. */
const TIMEOUT_MS = 27_000;

/** Age in minutes from which an unfinished probe, or a test lead, is one that a killed process has left behind. */
const ABANDONED_AFTER_MIN = 5;

/** Days for which probes are kept. */
export const KEPT_DAYS = 90;

/** Job that ends abandoned probes, and deletes their test leads and old probes. */
export const cleanUpProbesJob = defineJob('probes-tidy', z.object({}));

/** A probe with its steps. */
export type ListedProbe = Omit<Probe, 'steps'> & Readonly<{ steps: readonly ProbeStep[] }>;

const listed = (probe: Probe): ListedProbe => ({ ...probe, steps: probe.steps as unknown as ProbeStep[] });

type Services = ProbeServices & Readonly<{ limiter: Pick<Limiter, 'consume'>; log: Logger }>;

export type Probes = ReturnType<typeof createProbes>;

/** Runs probes of websites, and keeps what they found. The caller checks the viewer's rights. */
export function createProbes(services: Services) {
  const { db, clock, limiter, log } = services;
  const running = new Set<Promise<unknown>>();
  /** The teams of the probes on demand that run, one entry for each probe. */
  const onDemandTeams: number[] = [];
  const stopping = new AbortController();

  /** Runs a probe that has been recorded as begun, and records each step and the end. */
  async function runAndRecord(probe: Probe, website: ProbedWebsite): Promise<ListedProbe> {
    const steps: ProbeStep[] = [];
    const write = async (data: Partial<ProbeResult> & { finishedAt?: Date } = {}): Promise<Probe> => {
      const where = { id: probe.id };
      const [written] = await db.orm.probe.updateManyAndReturn({ where, data: { steps, ...data } });
      // It went with its website, which was deleted meanwhile.
      if (!written) throw websiteNotFound();
      return written;
    };
    const onStep = async (step: ProbeStep) => {
      steps.push(step);
      await write();
    };
    const result = await withDeadline(TIMEOUT_MS, stopping.signal, (signal) =>
      runProbe(services, { website, probeId: probe.id, signal, stopping: stopping.signal, onStep }),
    );
    log.info({ probeId: probe.id, websiteId: website.id, ok: result.ok, steps }, 'Website probed');
    return listed(await write({ ...result, finishedAt: clock() }));
  }

  /** Counts a probe among those that run, until it has ended. */
  async function track(probing: Promise<ListedProbe>): Promise<ListedProbe> {
    running.add(probing);
    try {
      return await probing;
    } finally {
      running.delete(probing);
    }
  }

  return {
    /**
     * Probes a website, and resolves when the probe has ended. Its steps are recorded as they end.
     *
     * @throws 429 when the website was probed too often, or this process runs as many probes as it may at once, for
     * all teams or for that of the website.
     */
    async run(website: ProbedWebsite & { teamId: number }, actor: Actor): Promise<ListedProbe> {
      const ofTeam = onDemandTeams.filter((teamId) => teamId === website.teamId).length;
      if (onDemandTeams.length >= MAX_CONCURRENT || ofTeam >= MAX_OF_TEAM)
        throw tooManyRequests(BUSY_RETRY_S);
      onDemandTeams.push(website.teamId);
      const probing = (async () => {
        requirePassing(await limiter.consume({ limit: 'probes', key: website.id }));
        const probe = await db.orm.$transaction(async (tx) => {
          const { teamId, id } = website;
          await recordAudit(tx, actor, { teamId, action: 'website.probed', subject: ['website', id] });
          return tx.probe.create({ data: { websiteId: id, startedAt: clock() } });
        });
        return runAndRecord(probe, website);
      })();
      try {
        return await track(probing);
      } finally {
        onDemandTeams.splice(onDemandTeams.indexOf(website.teamId), 1);
      }
    },

    /** Runs the daily probe of a website, which counts towards no limit of those on demand. */
    async runScheduled(website: ProbedWebsite): Promise<ListedProbe> {
      const { id } = website;
      const probing = db.orm.probe
        .create({ data: { websiteId: id, startedAt: clock() } })
        .then((probe) => runAndRecord(probe, website));
      return track(probing);
    },

    /** Tells whether the process ends, so that no further probe begins. */
    isStopping: (): boolean => stopping.signal.aborted,

    /** Breaks off the probes of a worker that stops. */
    stop(): void {
      stopping.abort();
    },

    /** Lists the latest probes of a website, the newest first. */
    async list(websiteId: string, limit: number): Promise<ListedProbe[]> {
      const rows = await db.orm.probe.findMany({
        where: { websiteId },
        orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
        take: limit,
      });
      return rows.map(listed);
    },

    /** Lists one probe of each day of a website, the newest day first: the latest that failed, else the latest. */
    async listDays(websiteId: string): Promise<ListedProbe[]> {
      return (await readProbeDays(db, websiteId)).map(listed);
    },

    /** Finds whether the latest probe of each of some websites passed; null: none is kept. */
    async lastOk(websiteIds: readonly string[]): Promise<(boolean | null)[]> {
      const last = await readLastProbes(db, websiteIds);
      return websiteIds.map((id) => last.get(id) ?? null);
    },

    /** Ends abandoned probes, and deletes their test leads and the probes that are no longer kept. */
    async cleanUp(): Promise<void> {
      const now = clock();
      const abandoned = { lt: new Date(now.getTime() - ABANDONED_AFTER_MIN * MINUTE_MS) };
      await db.orm.submission.deleteMany({ where: { testRecipient: { not: null }, createdAt: abandoned } });
      await db.orm.probe.updateMany({
        where: { ok: null, startedAt: abandoned },
        data: { ok: false, finishedAt: now },
      });
      const expired = new Date(now.getTime() - KEPT_DAYS * DAY_MS);
      await db.orm.probe.deleteMany({ where: { startedAt: { lt: expired } } });
    },

    /** Breaks the running probes off, and resolves when they have ended. */
    async close(): Promise<void> {
      stopping.abort();
      await Promise.allSettled(running);
    },
  };
}
