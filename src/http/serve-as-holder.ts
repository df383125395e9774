import type { NextFunction, Request, Response } from 'express';
import { asHolder, stopTrackingHolders } from '../db/fair-pool.js';
import { clientKey } from './limits/client-ip.js';
import { whenOver } from './server/response-over.js';

/**
 * Creates the middleware by which the statements of a request count as those of its address, and of its account once
 * that is known. Up to Node 22 each promise of the process costs more while holders are tracked, those of submissions
 * too, so without such a request they are not.
 */
export function serveAsHolder() {
  let requests = 0;
  return (request: Request, response: Response, next: NextFunction): void => {
    requests += 1;
    whenOver(response, () => {
      requests -= 1;
      if (requests === 0) stopTrackingHolders();
    });
    asHolder(clientKey(request), next);
  };
}
