import { z } from 'zod';
import { defineJob } from '../queue/define-job.js';

/** Jobs of this kind that a worker handles at once; each only claims deliveries and begins them. */
const CONCURRENCY = 8;

/** The job that delivers what is due for an endpoint. */
export const webhookDeliveryJob = defineJob(
  'webhook-delivery',
  z.object({ webhookId: z.uuid() }),
  CONCURRENCY,
);

/** Makes a job of each endpoint. */
export const webhookDeliveryJobs = (webhookIds: readonly string[]) =>
  webhookIds.map((webhookId) => ({ id: `webhook-${webhookId}`, payload: { webhookId } }));

/** The job that hands over the endpoints for which deliveries are due. */
export const webhookReconcileJob = defineJob('webhook-reconcile', z.object({}));

/** The job that ends what waits for disabled endpoints, and continues redeliveries. */
export const webhookPortionsJob = defineJob('webhook-portions', z.object({}));

/** The job that deletes deliveries that are no longer kept, and secrets that no longer sign. */
export const purgeDeliveriesJob = defineJob('webhook-purge', z.object({}));
