import { StartError } from '../errors.js';
import { FINDINGS, type ProbeStep } from '../probes/probe-step.js';
import type { Services } from '../services.js';
import { ACTOR, oneLine, print, table } from './output.js';
import { withServices } from './runtime.js';
import { byIdOrHost } from './website-argument.js';

/** Finds a website by id or host. @throws StartError when there is none, or several teams have the host. */
async function findWebsite({ db }: Services, name: string) {
  const [website, another] = await db.orm.website.findMany({
    where: byIdOrHost(name),
    select: { id: true, teamId: true, url: true, host: true },
    take: 2,
  });
  if (!website) throw new StartError(`There is no website ${name}.`);
  if (another) throw new StartError(`Several teams have a website ${name}: name it by its id.`);
  return website;
}

function rowOf({ name, ok, ms, finding, detail }: ProbeStep): string[] {
  const said = [finding && FINDINGS[finding], detail && oneLine(detail)].filter(Boolean);
  return [name, ok ? 'ok' : 'FAILED', `${ms} ms`, said.join(' ')];
}

/**
 * `formgate probe <website>`: prints what each step came to.
 *
 * @throws StartError when one failed, or no gateway runs that a visitor could reach.
 */
export async function probeCommand(name: string): Promise<void> {
  await withServices('probe', async (services, embedded) => {
    // Kept in the database, its failure would be taken for the website's.
    if (embedded && !embedded.isServed)
      throw new StartError('No gateway is running: start it with formgate start.');
    const { ok, steps } = await services.probes.run(await findWebsite(services, name), ACTOR);
    print(table(steps.map(rowOf)));
    if (!ok) throw new StartError(`The probe of ${name} failed.`);
  });
}
