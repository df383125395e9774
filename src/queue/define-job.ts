import type { z } from 'zod';

/** BullMQ's priority of jobs that wait for all others: jobs without a priority come first. */
export const LOW_PRIORITY = 1;

/**
 * A kind of job. Its payload carries ids only, since PostgreSQL is the source of truth. `worker.ts` registers the
 * handler, so that a process that only enqueues does not load it.
 */
export type JobDefinition<Payload> = Readonly<{
  /** The name of the job and of its queue. */
  name: string;
  schema: z.ZodType<Payload>;
  /** How many of these jobs a worker handles at once, unless its configuration says otherwise. */
  concurrency: number;
}>;

/** A kind of job of which the queue holds one for each payload. */
export type KeyedJob<Payload> = JobDefinition<Payload> &
  Readonly<{
    /** Returns the id of a payload's job. */
    idOf(payload: Payload): string;
  }>;

export const defineJob = <Payload>(
  name: string,
  schema: z.ZodType<Payload>,
  concurrency = 1,
): JobDefinition<Payload> => ({ name, schema, concurrency });

export const defineKeyedJob = <Payload>(
  name: string,
  schema: z.ZodType<Payload>,
  { idOf, concurrency = 1 }: Pick<KeyedJob<Payload>, 'idOf'> & { concurrency?: number },
): KeyedJob<Payload> => ({ ...defineJob(name, schema, concurrency), idOf });

/** Makes a job of each payload, for the queue. */
export const jobsOf = <Payload>({ idOf }: KeyedJob<Payload>, payloads: readonly Payload[]) =>
  payloads.map((payload) => ({ id: idOf(payload), payload }));
