import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../errors.js';
import { fitHeap } from './heap.js';

type OptionsConfig = NonNullable<ParseArgsConfig['options']>;

type Parsed<Options extends OptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true; strict: true }>
>;

/** Names the first option that a command does not have, or that lacks or has a value against its type; null: none. */
function optionFault(args: string[], options: OptionsConfig): string | null {
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) return `Unknown option: ${rawName}.`;
    if (option.type === 'boolean' && value !== undefined) return `${rawName} takes no value.`;
    const isMissing = value === undefined || (!token.inlineValue && value.startsWith('-'));
    if (option.type === 'string' && isMissing) return `${rawName} needs a value.`;
  }
  return null;
}

/** Describes a command: the options it reads, and what it does with them and with the arguments after its name. */
function command<const Options extends OptionsConfig>(
  options: Options,
  run: (values: Parsed<Options>['values'], rest: string[]) => Promise<void>,
) {
  return (args: string[]): Promise<void> => {
    const fault = optionFault(args, options);
    if (fault !== null) throw new UsageError(fault);
    const parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
    return run(parsed.values, parsed.positionals);
  };
}

/** Returns the one argument of a command, which `what` describes. */
function only(rest: readonly string[], what: string): string {
  const [argument, ...further] = rest;
  if (!argument || further.length > 0) throw new UsageError(`The command takes ${what}, and nothing else.`);
  return argument;
}

function none(rest: readonly string[]): void {
  if (rest.length > 0) throw new UsageError(`Unknown argument: ${rest[0]}.`);
}

const commands = () => import('./commands.js');
const notifications = () => import('./notifications.js');

const FILTER = {
  state: { type: 'string' },
  team: { type: 'string' },
  website: { type: 'string' },
  since: { type: 'string' },
} as const;

const serving = (what: 'start' | 'gateway' | 'worker') =>
  command({}, async (_, rest) => {
    none(rest);
    fitHeap();
    await (await import('./serve.js')).serve(what);
  });

type Commands = Readonly<Record<string, (args: string[]) => Promise<void>>>;

/**
 * The commands that run and fill an installation, by their first words, each with its options. Each loads what it
 * needs, so that a message about its arguments comes at once.
 */
const COMMANDS: Commands = {
  start: serving('start'),
  gateway: serving('gateway'),
  worker: serving('worker'),
  migrate: command({ status: { type: 'boolean' } }, async (values, rest) => {
    none(rest);
    await (await commands()).migrateCommand(values);
  }),
  provision: command({}, async (_, rest) => {
    const file = only(rest, 'one file');
    await (await commands()).provisionCommand(file);
  }),
  'token create': command(
    {
      team: { type: 'string' },
      user: { type: 'string' },
      name: { type: 'string' },
      abilities: { type: 'string' },
      'expires-at': { type: 'string' },
    },
    async (values, rest) => {
      none(rest);
      await (await commands()).tokenCreate(values);
    },
  ),
  'user create': command(
    {
      email: { type: 'string' },
      name: { type: 'string' },
      staff: { type: 'boolean' },
      'password-stdin': { type: 'boolean' },
    },
    async (values, rest) => {
      none(rest);
      await (await commands()).userCreate(values);
    },
  ),
};

/** The commands for administration. */
const ADMINISTRATION: Commands = {
  rekey: command({}, async (_, rest) => {
    none(rest);
    await (await import('./rekey.js')).rekeyCommand();
  }),
  doctor: command({}, async (_, rest) => {
    none(rest);
    await (await import('./doctor.js')).doctorCommand();
  }),
  probe: command({}, async (_, rest) => {
    const website = only(rest, "a website's host or id");
    await (await import('./probe.js')).probeCommand(website);
  }),
  retention: command({ 'dry-run': { type: 'boolean' } }, async (values, rest) => {
    none(rest);
    await (await import('./retention.js')).retentionCommand(values);
  }),
  'user reset': command({ 'second-factor': { type: 'boolean' } }, async (values, rest) => {
    const email = only(rest, 'an e-mail address');
    await (await commands()).userReset(email, values['second-factor'] ?? false);
  }),
  'team suspend': command({}, async (_, rest) => {
    const slug = only(rest, "a team's slug");
    await (await commands()).teamSetActive(slug, false);
  }),
  'team resume': command({}, async (_, rest) => {
    const slug = only(rest, "a team's slug");
    await (await commands()).teamSetActive(slug, true);
  }),
  'notifications list': command(
    { ...FILTER, limit: { type: 'string' }, json: { type: 'boolean' } },
    async (values, rest) => {
      none(rest);
      await (await notifications()).notificationsList(values);
    },
  ),
  'notifications resend': command(
    { ...FILTER, lead: { type: 'string', multiple: true }, yes: { type: 'boolean' } },
    async ({ lead, ...values }, rest) => {
      if (!lead) none(rest);
      await (await notifications()).notificationsResend({ ...values, leads: [...(lead ?? []), ...rest] });
    },
  ),
};

/** A command that was found. It throws UsageError for arguments that it does not take. */
type Found = Readonly<{ run: () => Promise<void>; isAdministration: boolean }>;

/** Finds the command that arguments begin with; null when there is none. */
export function findCommand(args: readonly string[]): Found | null {
  for (const count of [1, 2]) {
    const words = args.slice(0, count).join(' ');
    for (const commands of [COMMANDS, ADMINISTRATION]) {
      const run = Object.hasOwn(commands, words) ? commands[words] : undefined;
      if (run) return { run: () => run(args.slice(count)), isAdministration: commands === ADMINISTRATION };
    }
  }
  return null;
}
