#!/usr/bin/env node
import { findCommand } from './cli/command-table.js';
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
  user reset <email> [--second-factor]
                        set a new password and print it, and end the account's sessions; with the option,
                        remove the second factor too
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

function fail(reason: string, code: 1 | 2 = 1): never {
  process.stderr.write(`${reason}\n`);
  process.exit(code);
}

// A reader that has seen enough, such as head, ends neither the work of a command nor its exit code.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const args = process.argv.slice(2);
const command = findCommand(args);

async function run(): Promise<void> {
  const [first = ''] = args;
  if (first === 'help' || args.includes('--help') || args.includes('-h')) {
    return void process.stdout.write(USAGE);
  }
  if (['version', '--version', '-v'].includes(first)) return void process.stdout.write(`${VERSION}\n`);
  if (command) return command.run();
  const reason = first ? `Unknown command: ${args.join(' ')}.` : 'There is no command.';
  throw new UsageError(`${reason} formgate --help lists them.`);
}

try {
  await run();
  process.exit(0);
} catch (error) {
  const expected = error instanceof StartError || error instanceof ApiError;
  const message = expected
    ? error.message
    : `Unexpected error: ${error instanceof Error ? error.stack : error}`;
  // Scripts rely on 1 from the commands that were there before those for administration.
  fail(message, error instanceof UsageError && command?.isAdministration ? 2 : 1);
}
