import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { local, until } from '../../faults/processes.js';
import { ask, compare } from '../load.js';
import { prepareSubmissions } from '../submissions.js';

const MAILS = 1_000;
const CONNECTIONS = 10;
const ROUNDS = 5;

const BARE = {
  from: 'Formgate <forms@formgate.test>',
  to: 'desk@site-1.test',
  subject: 'Contact: Camille Martin',
  text: 'Nom: Camille Martin\nAdresse e-mail: camille.martin@company.test\n'.repeat(8),
  html: `<table>${'<tr><td>Nom</td><td>Camille Martin</td></tr>'.repeat(12)}</table>`,
};

/** Notifications that are waiting when a worker starts, against a bare pool that sends as many messages. */
export async function measure(stack) {
  const database = await stack.database();
  const gateway = await stack.gateway(database);
  const message = join(stack.directory, 'message.json');
  await writeFile(message, JSON.stringify(BARE));

  async function bare() {
    const args = [
      local('../bench/baselines/mail.js'),
      stack.smtpUrl,
      String(MAILS),
      String(CONNECTIONS),
      message,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return MAILS / (Number(stdout) / 1000);
  }

  async function worker() {
    await ask(gateway.url, await prepareSubmissions(gateway.url, { count: MAILS }));
    const before = stack.mails().length;
    const running = await stack.worker(database);
    await until('all are mailed', () => stack.mails().length >= before + MAILS, 120_000);
    await running.stop();
    const times = stack
      .mails()
      .slice(before, before + MAILS)
      .map(({ at }) => at);
    return (MAILS - 1) / ((Math.max(...times) - Math.min(...times)) / 1000);
  }

  const { perSecond, ratios, rounds } = await compare({ baseline: bare, worker }, ROUNDS);
  await gateway.stop();
  return [
    {
      ...{ path: 'mails', figure: perSecond.worker, ratio: ratios.worker, atLeast: 0.8, rounds },
      ...{ baseline: perSecond.baseline, baselineName: 'bare nodemailer, pooled' },
    },
  ];
}
