import type { ErrorName } from '../errors.openapi.js';
import { type Headers, headerRef, type Parameter } from '../http/openapi.js';

/*
 * OpenAPI parts shared by the endpoints that the pages of a website call.
 */

/** The parameter `{website}` of the paths. */
export const websiteParameter: Parameter = {
  name: 'website',
  in: 'path',
  required: true,
  description: 'UUID of the website.',
  schema: { type: 'string', format: 'uuid' },
  example: '01939a60-5c00-7a10-8b20-6c1f3a5e0002',
};

export const originParameter: Parameter = {
  name: 'Origin',
  in: 'header',
  required: true,
  schema: { type: 'string' },
  description: 'Of the page; its host must be that of the website. Browsers send it by themselves.',
  example: 'https://corse.lumen-paysage.test',
};

/** Headers of every answer, so that caches separate the answers to different origins. */
export const pageHeaders: Headers = { Vary: headerRef('VaryOrigin') };

/** Headers of an answer that only a page of the website may read. */
export const ownPageHeaders: Headers = { 'Access-Control-Allow-Origin': headerRef('OwnOrigin') };

export const PAGE_ERRORS = [
  'MalformedRequest',
  'WebsiteNotFound',
  'WebsiteDisabled',
  'OriginNotAllowed',
  // Every endpoint can answer 429, because requests for unknown websites are limited.
  'TooManyRequests',
  'ServerError',
  'Unavailable',
] as const satisfies readonly ErrorName[];
