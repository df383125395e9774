import express, { type Express } from 'express';
import { auditExportController } from './accounts/audit-export.controller.js';
import { captchaController } from './captcha/captcha.controller.js';
import { formsController } from './forms/serving/forms.controller.js';
import { apiDocs } from './http/assets/api-docs.js';
import { browserScript } from './http/assets/browser-script.js';
import { formPreview } from './http/assets/form-preview.js';
import { panelPages } from './http/assets/panel-pages.js';
import { cors } from './http/cors.js';
import { createDownloads } from './http/downloads.js';
import { errorHandler, notFoundHandler, optionsHandler } from './http/error-handler.js';
import { checksOf, serveHealth } from './http/health/health.js';
import { serveMetrics } from './http/health/metrics.js';
import { warnOfProxy } from './http/limits/proxy-warning.js';
import { requestId } from './http/request-id.js';
import { requestLog } from './http/request-log.js';
import { requestTrace } from './http/request-trace.js';
import { requireHost } from './http/require-host.js';
import { securityHeaders } from './http/security-headers.js';
import { serveAsHolder } from './http/serve-as-holder.js';
import { tracing } from './lib/telemetry/tracing.js';
import { createOpenApi } from './openapi.js';
import type { Panel } from './panel.js';
import type { Services } from './services.js';
import { exportsController } from './submissions/export/exports.controller.js';
import { submitController } from './submissions/submit/submit.controller.js';
import { tokensController } from './tokens/tokens.controller.js';
import { visitsController } from './visits/visits.controller.js';
import { directoryController } from './websites/directory/directory.controller.js';
import { createOriginCheck } from './websites/own-origin.js';
import { signaturesController } from './websites/signatures/signatures.controller.js';

/** The whole of the HTTP front, in the order in which a request meets it. */
export function createApp(services: Services, panel: Panel): Express {
  const app = express();
  app.disable('x-powered-by');
  // An answer that may be cached sets its own, and compares it itself: Express would answer 304 to every `*`.
  app.set('etag', false);
  Object.defineProperty(app.request, 'fresh', { value: false });
  app.set('trust proxy', services.config.http.trustProxy ?? false);

  app.use(warnOfProxy(services.log));
  app.use(requestId);
  app.use(securityHeaders(services.config.publicUrl));
  app.use(requireHost);
  const checks = checksOf(services.readiness);
  serveHealth(app, services.readiness, checks);
  serveMetrics(app, services, { open: false, checks });
  const traced = tracing();
  if (traced) app.use(requestTrace(traced));
  app.use(requestLog(services.log));

  app.use(cors(createOriginCheck(services.websites)));
  app.use(optionsHandler);
  // The busiest routers come first: each router that a request passes by costs it some microseconds.
  app.use(submitController(services));
  app.use(formsController(services));
  app.use(captchaController(services));
  app.use(directoryController(services));
  app.use(signaturesController(services));
  app.use(visitsController(services));
  app.use(tokensController(services));
  app.use(browserScript());
  app.use(apiDocs(createOpenApi(services.config)));

  app.use(serveAsHolder());
  const downloads = createDownloads(services);
  app.use(exportsController({ ...services, downloads }));
  app.use(auditExportController({ ...services, downloads }));
  app.use(panel.handler);
  app.use(formPreview());
  app.use(panelPages(services.config.publicUrl));

  app.use(notFoundHandler);
  app.use(errorHandler(services.log));
  return app;
}
