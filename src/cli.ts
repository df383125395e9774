#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { migrateCommand, provisionCommand, tokenCreate, userCreate } from './cli/commands.js';
import { serve } from './cli/serve.js';
import { ApiError, StartError } from './errors.js';

// Deprecations inside libraries are for developers, who see them in the tests.
process.noDeprecation = true;

const USAGE = `Usage: formgate <command>

  start                 gateway and worker in one process, with its own database and mail catcher
                        where DATABASE_URL and SMTP_URL are not set
  gateway               the HTTP process
  worker                the process that sends e-mail
  migrate               bring the database up to date
  provision <file>      apply a provision document (YAML or JSON)
  token create --team <slug> --user <email> --name <name>
               [--abilities team:read,team:submit] [--expires-at <ISO 8601 time>]
  user create --email <email> --name <name> [--staff] [--password-stdin]
`;

const { values, positionals } = (() => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        team: { type: 'string' },
        user: { type: 'string' },
        name: { type: 'string' },
        abilities: { type: 'string' },
        'expires-at': { type: 'string' },
        email: { type: 'string' },
        staff: { type: 'boolean' },
        'password-stdin': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    return fail((error as Error).message.split('\n')[0] ?? '');
  }
})();

export type CommandOptions = typeof values;

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

async function run(): Promise<void> {
  const [command = '', argument, ...rest] = positionals;
  if (values.help || command === 'help') return void process.stdout.write(USAGE);
  switch (`${command} ${argument ?? ''}`.trim()) {
    case 'start':
      return serve('start');
    case 'gateway':
      return serve('gateway');
    case 'worker':
      return serve('worker');
    case 'migrate':
      return migrateCommand();
    case 'token create':
      return tokenCreate(values);
    case 'user create':
      return userCreate(values);
  }
  if (command === 'provision' && argument && rest.length === 0) return provisionCommand(argument);
  throw new StartError(command ? `Unknown command: ${positionals.join(' ')}\n\n${USAGE}` : USAGE);
}

try {
  await run();
  process.exit(0);
} catch (error) {
  const expected = error instanceof StartError || error instanceof ApiError;
  fail(expected ? error.message : `Unexpected error: ${error instanceof Error ? error.stack : error}`);
}
