import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../errors.js';

type OptionsConfig = NonNullable<ParseArgsConfig['options']>;

type Parsed<Options extends OptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true; strict: true }>
>;

/** Describes a command: the options it reads, and what it does with them and with the arguments after its name. */
function command<const Options extends OptionsConfig>(
  options: Options,
  run: (values: Parsed<Options>['values'], rest: string[]) => Promise<void>,
) {
  return (args: string[]): Promise<void> => {
    let parsed: Parsed<Options>;
    try {
      parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
    } catch (error) {
      throw new UsageError((error as Error).message.split('\n')[0]);
    }
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
  if (rest.length > 0) throw new UsageError(`The command takes no ${rest[0]}.`);
}

const commands = () => import('./commands.js');
const notifications = () => import('./notifications.js');

const FILTER = {
  state: { type: 'string' },
  team: { type: 'string' },
  website: { type: 'string' },
  since: { type: 'string' },
} as const;

/** The commands for administration, by their first words. */
const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<void>>> = {
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

/**
 * Finds the command for administration that arguments begin with; null when it is another one.
 *
 * The command throws UsageError for arguments that it does not take.
 */
export function findAdministration(args: readonly string[]): (() => Promise<void>) | null {
  for (const words of [1, 2]) {
    const run = COMMANDS[args.slice(0, words).join(' ')];
    if (run) return () => run(args.slice(words));
  }
  return null;
}
