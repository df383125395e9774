import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'deploy/systemd';

/** The settings of a unit of deploy/systemd/, such as `formgate-gateway@3000`, as systemd reads them. */
export type Unit = Readonly<{
  execStart: readonly string[];
  workingDirectory: string;
  /** Environment=, with `%d` in place of the folder of credentials. */
  environment: Readonly<Record<string, string>>;
  environmentFile: string;
  /** LoadCredential=: name to file. */
  credentials: Readonly<Record<string, string>>;
  timeoutStopS: number;
}>;

/** Reads a unit with what formgate-.service.d/ adds to it. */
export function readUnit(name: string): Unit {
  const [template, instance] = name.split('@') as [string, string];
  const files = [`${template}@.service`, 'formgate-.service.d/10-common.conf'];
  const lines = files.flatMap((file) => readFileSync(join(FOLDER, file), 'utf8').split('\n'));
  const all = (key: string) =>
    lines
      .filter((line) => line.startsWith(`${key}=`))
      .map((line) => line.slice(key.length + 1).replaceAll('%i', instance));
  const last = (key: string) => all(key).at(-1) ?? '';
  const pairs = (key: string, separator: string) =>
    Object.fromEntries(all(key).map((pair) => pair.split(separator) as [string, string]));
  return {
    execStart: last('ExecStart').split(' '),
    workingDirectory: last('WorkingDirectory'),
    environment: pairs('Environment', '='),
    environmentFile: last('EnvironmentFile'),
    credentials: pairs('LoadCredential', ':'),
    timeoutStopS: Number(last('TimeoutStopSec')),
  };
}
