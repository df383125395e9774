import type { ErrorName } from '../errors.openapi.js';
import { type Headers, headerRef, type Parameter } from '../http/openapi.js';

/*
 * What the endpoints have in common that the pages of a website call.
 */

/** The parameter `{website}` of their paths. */
export const websiteParameter: Parameter = {
  ...{ name: 'website', in: 'path', required: true, description: 'UUID of the website.' },
  schema: { type: 'string', format: 'uuid' },
  example: '01939a60-5c00-7a10-8b20-6c1f3a5e0002',
};

export const originParameter: Parameter = {
  ...{ name: 'Origin', in: 'header', required: true, schema: { type: 'string' } },
  description: 'Of the page; its host must be that of the website. Browsers send it by themselves.',
  example: 'https://corse.lumen-paysage.test',
};

/** On every answer, so that caches keep those of different pages apart. */
export const pageHeaders: Headers = { Vary: headerRef('VaryOrigin') };

/** On an answer that only a page of the website gets. */
export const ownPageHeaders: Headers = { 'Access-Control-Allow-Origin': headerRef('OwnOrigin') };

export const PAGE_ERRORS = [
  'MalformedRequest',
  'WebsiteNotFound',
  'WebsiteDisabled',
  'OriginNotAllowed',
  // Whatever else is limited: asking for websites that do not exist is.
  'TooManyRequests',
  'ServerError',
  'Unavailable',
] as const satisfies readonly ErrorName[];
