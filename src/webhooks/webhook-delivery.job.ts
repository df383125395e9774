import { z } from 'zod';
import { defineJob, defineKeyedJob } from '../queue/define-job.js';

/** Jobs of this kind that a worker handles at once; each only claims deliveries and begins them. */
const CONCURRENCY = 8;

/** The job that delivers what is due for an endpoint. */
export const webhookDeliveryJob = defineKeyedJob('webhook-delivery', z.object({ webhookId: z.uuid() }), {
  idOf: ({ webhookId }) => `webhook-${webhookId}`,
  concurrency: CONCURRENCY,
});

/** The job that hands over the endpoints for which deliveries are due. */
export const webhookReconcileJob = defineJob('webhook-reconcile', z.object({}));

/** The job that ends what waits for disabled endpoints, and continues redeliveries. */
export const webhookPortionsJob = defineJob('webhook-portions', z.object({}));

/** The job that deletes deliveries that are no longer kept, and secrets that no longer sign. */
export const purgeDeliveriesJob = defineJob('webhook-purge', z.object({}));
