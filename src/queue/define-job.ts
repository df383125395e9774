import type { z } from 'zod';

/**
 * A kind of job: its name and the schema of its payload. Payloads carry ids only, since PostgreSQL is the source of
 * truth. The handler is registered elsewhere, so that a process that only enqueues does not load it.
 */
export type JobDefinition<Payload> = Readonly<{ name: string; schema: z.ZodType<Payload> }>;

export const defineJob = <Payload>(name: string, schema: z.ZodType<Payload>): JobDefinition<Payload> => ({
  name,
  schema,
});
