import type { ErrorName } from '../../errors.openapi.js';
import {
  jsonAnswer,
  listOf,
  object,
  operation,
  type Piece,
  type Schema,
  schemaOf,
} from '../../http/openapi.js';
import { withToken } from '../../tokens/tokens.openapi.js';
import type { DirectoryWebsite } from './directory.service.js';

const tag = 'Websites';
const text = { type: 'string' };
const timestamp = { ...text, format: 'date-time', pattern: '\\d\\d:\\d\\d:\\d\\d\\+00:00$' };

const website = object({
  id: { ...text, format: 'uuid' },
  name: text,
  host: {
    ...text,
    description: 'Host name, with its port where that counts; the Origin is compared with it.',
  },
  url: text,
  email: { ...text, description: "The client's contact." },
  company: text,
  address: text,
  zipcode: text,
  city: text,
  country: text,
  phone: text,
  logo: { ...text, description: 'An address, or empty.' },
  departments: listOf(schemaOf('Department')),
  created_at: timestamp,
  updated_at: timestamp,
} satisfies Record<keyof DirectoryWebsite, Schema>);

const department = object({
  code: { ...text, pattern: '^[0-9A-Z]{1,16}$', description: '`01`, `2A`, `971`, `BEL`.' },
  name: text,
});

const EXAMPLE: DirectoryWebsite = {
  id: '01939a60-5c00-7a10-8b20-6c1f3a5e0002',
  name: 'Lumen Corse',
  host: 'corse.lumen-paysage.test',
  url: 'https://corse.lumen-paysage.test',
  email: 'corse@lumen-paysage.test',
  company: 'Lumen Paysage',
  address: '',
  zipcode: '',
  city: 'Ajaccio',
  country: 'France',
  phone: '',
  logo: '',
  departments: [{ code: '2A', name: 'Corse-du-Sud' }],
  created_at: '2026-11-02T09:30:00+00:00',
  updated_at: '2026-11-02T09:30:00+00:00',
};

const websites = (description: string) =>
  jsonAnswer(description, object({ data: listOf(schemaOf('Website')) }), { data: [EXAMPLE] });

const ERRORS = [
  'Unauthenticated',
  'NoLongerAllowed',
  'MissingAbility',
  'ServerError',
  'Unavailable',
] as const satisfies readonly ErrorName[];

/** OpenAPI description of the website directory. */
export const directoryPiece: Piece = {
  tag: {
    name: tag,
    description: "The websites of the token's organization. Asks for the ability `team:read`.",
  },
  schemas: { Website: website, Department: department },
  paths: {
    '/api/websites': {
      get: operation({
        operationId: 'listWebsites',
        tag,
        summary: 'List the websites',
        ...withToken,
        answers: { 200: websites('Sorted by name.') },
        errors: [...ERRORS, 'NoOrganization'],
      }),
    },
    '/api/websites/by-department/{code}': {
      get: operation({
        operationId: 'listWebsitesOfDepartment',
        tag,
        summary: 'List those that serve a department',
        ...withToken,
        parameters: [
          {
            name: 'code',
            in: 'path',
            required: true,
            example: '2A',
            description: 'Of the department, as text: `01` keeps its zero. Capital letters or small ones.',
            schema: { type: 'string' },
          },
        ],
        answers: { 200: websites('At least one website, sorted by name.') },
        errors: [...ERRORS, 'MalformedRequest', 'DepartmentNotFound'],
      }),
    },
  },
};
