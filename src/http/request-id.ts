import type { RequestHandler } from 'express';
import { v7 as uuid } from 'uuid';

declare global {
  namespace Express {
    interface Locals {
      requestId: string;
    }
  }
}

/** Gives every request an id of its own: in the answer's `X-Request-Id` and in each line of the log. */
export const requestId: RequestHandler = (_request, response, next) => {
  response.locals.requestId = uuid();
  response.setHeader('X-Request-Id', response.locals.requestId);
  next();
};
