import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { renderSubmissionEmail } from '../../dist/modules/notifications/submission-email/submission-email.template.js';
import { local, until } from '../../faults/processes.js';
import { ask, compare } from '../load.js';
import { seededDaysAreCounted } from '../seeded-days.js';
import { prepareSubmissions } from '../submissions.js';

/** So many that what a process compiles while it is new hardly counts. */
const MAILS = 3_000;
const CONNECTIONS = 10;
const ROUNDS = 5;

/** What the worker writes about one of the submissions, so that both send the same texts. */
function example() {
  const fields = [
    ['text', 'Nom', 'Camille Martin'],
    ['email', 'Adresse e-mail', 'camille.martin@company.test'],
    ['tel', 'Téléphone', '+33 6 12 34 56 78'],
    ['select', 'Sujet', 'Demande de devis'],
    ['number', 'Budget', 3000],
    [
      'textarea',
      'Message',
      'Bonjour, je souhaite recevoir un devis pour la rénovation de ma cuisine, environ douze mètres ' +
        'carrés. Merci d’avance pour votre réponse rapide. Dossier 1.',
    ],
    ['consent', 'Protection des données', true],
  ].map(([type, label, value]) => ({ type, label, value }));
  const { to, replyTo, subject, text, html } = renderSubmissionEmail({
    leadId: '0198c2a4-7c1a-7000-8000-000000000001',
    createdAt: new Date(),
    fields,
    undeclared: {},
    website: { name: 'Website 1', host: 'www.site-1.test', locale: 'fr', timeZone: 'Europe/Paris' },
    form: { name: 'Contact' },
    page: { url: 'https://www.site-1.test/contact', title: 'Contact' },
    needsReview: false,
    recipients: ['desk@site-1.test'],
  });
  return { from: 'Formgate <forms@formgate.test>', to, replyTo, subject, text, html };
}

/** Mails a second, from the first to the last that the mail server has kept: no start of a process counts. */
function rateOf(mails) {
  const times = mails.map(({ at }) => at);
  return (mails.length - 1) / ((Math.max(...times) - Math.min(...times)) / 1000);
}

/**
 * Notifications that are waiting when a worker starts, against a bare pool that composes and sends as many messages:
 * nodemailer does the same for both, and the worker claims, renders and records besides.
 */
export async function measure(stack) {
  const database = await stack.database();
  const gateway = await stack.gateway(database);
  const message = join(stack.directory, 'message.json');
  await writeFile(message, JSON.stringify(example()));

  const first = await stack.worker(database);
  await seededDaysAreCounted(database);
  await first.stop();

  async function sendBare() {
    const args = [
      local('../bench/baselines/mail.js'),
      stack.smtpUrl,
      String(MAILS),
      String(CONNECTIONS),
      message,
    ];
    const before = await stack.mailCount();
    await promisify(execFile)(process.execPath, args);
    return rateOf(stack.mails().slice(before));
  }

  async function runWorker() {
    const before = await stack.mailCount();
    const running = await stack.worker(database);
    await until('all are mailed', async () => (await stack.mailCount()) >= before + MAILS, 120_000);
    await running.stop();
    return rateOf(stack.mails().slice(before));
  }

  const { perSecond, ratios, rounds } = await compare(
    {
      baseline: () => [sendBare],
      worker: async () => {
        await ask(gateway.url, await prepareSubmissions(gateway.url, { count: MAILS }));
        return [runWorker];
      },
    },
    ROUNDS,
  );
  await gateway.stop();
  return [
    {
      path: 'mails',
      figure: perSecond.worker,
      ratio: ratios.worker,
      atLeast: 0.6,
      rounds,
      baseline: perSecond.baseline,
      baselineName: 'bare nodemailer, pooled',
    },
  ];
}
