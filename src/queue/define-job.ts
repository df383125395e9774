import type { z } from 'zod';

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

export const defineJob = <Payload>(
  name: string,
  schema: z.ZodType<Payload>,
  concurrency = 1,
): JobDefinition<Payload> => ({ name, schema, concurrency });
