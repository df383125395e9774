#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { findAdministration } from './cli/administration.js';
import { fitHeap } from './cli/heap.js';
import { ApiError, StartError, UsageError } from './errors.js';
import { VERSION } from './lib/telemetry/version.js';

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
  user reset <email>    set a new password and print it, and end the account's sessions
  team suspend <slug>   stop the forms of a team's websites and refuse its tokens; team resume undoes it
  team resume <slug>
  notifications list    print the e-mails that wait or ended unsent, newest first
               [--state <state>] [--team <slug>] [--website <host or id>] [--since 2d] [--limit 50] [--json]
  notifications resend  send e-mails again, by lead or by a filter, which asks first unless --yes
               --lead <id>… | --state <state> [--team <slug>] [--website <host or id>] [--since 2d] [--yes]
  probe <host or id>    test a website from its page to the e-mail, by a test lead, and print each step
  retention [--dry-run] delete the leads that are due now, or print how many there are by form
  doctor                check database, queue, mail server, clock and the sender's DNS, and say what to do
  rekey                 encrypt every secret anew under APP_KEY, from APP_KEY_PREVIOUS

  --version             print the version
`;

const OPTIONS = {
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
} as const;

function fail(reason: string, code: 1 | 2 = 1): never {
  process.stderr.write(`${reason}\n`);
  process.exit(code);
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new StartError((error as Error).message.split('\n')[0] ?? '');
  }
}

async function run(args: string[]): Promise<void> {
  const administration = findAdministration(args);
  const wantsHelp = args.includes('--help') || args.includes('-h');
  if (administration && !wantsHelp) return administration();
  const { values, positionals } = parse(administration ? ['--help'] : args);
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
  await run(process.argv.slice(2));
  process.exit(0);
} catch (error) {
  const expected = error instanceof StartError || error instanceof ApiError;
  const message = expected
    ? error.message
    : `Unexpected error: ${error instanceof Error ? error.stack : error}`;
  fail(message, error instanceof UsageError ? 2 : 1);
}
