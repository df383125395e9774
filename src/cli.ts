#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { fitHeap } from './cli/heap.js';
import { ApiError, StartError } from './errors.js';
import { VERSION } from './lib/version.js';

// Deprecations inside libraries are for developers, who see them in the tests.
process.noDeprecation = true;

const USAGE = `Usage: formgate <command>

  start                 gateway and worker in one process, with its own database and mail catcher
                        where DATABASE_URL and SMTP_URL are not set
  gateway               the HTTP process
  worker                the process that sends e-mail
  migrate [--status]    bring the database up to date, or print what it has and lacks
  provision <file>      apply a provision document (YAML or JSON)
  token create --team <slug> --user <email> --name <name>
               [--abilities team:read,team:submit] [--expires-at <ISO 8601 time>]
  user create --email <email> --name <name> [--staff] [--password-stdin]

  --version             print the version
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
        status: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
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
  if (values.version || command === 'version') return void process.stdout.write(`${VERSION}\n`);
  // Each command loads what it needs, and a message about its arguments comes at once.
  const commands = () => import('./cli/commands.js');
  const what = `${command} ${argument ?? ''}`.trim();
  switch (what) {
    case 'start':
    case 'gateway':
    case 'worker':
      fitHeap();
      return (await import('./cli/serve.js')).serve(what);
    case 'migrate':
      return (await commands()).migrateCommand(values);
    case 'token create':
      return (await commands()).tokenCreate(values);
    case 'user create':
      return (await commands()).userCreate(values);
  }
  if (command === 'provision' && argument && rest.length === 0) {
    return (await commands()).provisionCommand(argument);
  }
  const reason = command ? `Unknown command: ${positionals.join(' ')}.` : 'There is no command.';
  throw new StartError(`${reason} formgate --help lists them.`);
}

try {
  await run();
  process.exit(0);
} catch (error) {
  const expected = error instanceof StartError || error instanceof ApiError;
  fail(expected ? error.message : `Unexpected error: ${error instanceof Error ? error.stack : error}`);
}
