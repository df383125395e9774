import express, { type Express } from 'express';
import { errorHandler, notFoundHandler } from './http/error-handler.js';
import { health } from './http/health.js';
import { metrics } from './http/metrics.js';
import { requestId } from './http/request-id.js';
import { requestLog } from './http/request-log.js';
import { requestMetrics } from './http/request-metrics.js';
import type { Services } from './services.js';
import { submissionsController } from './submissions/submissions.controller.js';

/** The whole of the HTTP front, in the order in which a request meets it. */
export function createApp(services: Services): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', services.config.http.trustProxy ?? false);

  app.use(requestId);
  app.use(health(services));
  app.use(metrics(services, { open: false }));
  app.use(requestLog(services.log));
  app.use(requestMetrics);

  app.use('/api', submissionsController(services));

  app.use(notFoundHandler);
  app.use(errorHandler(services.log));
  return app;
}
