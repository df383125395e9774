import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:tls';
import { createObserver } from '../observe.js';
import { local, until } from '../processes.js';
import { copiesOf } from '../table.js';

const CERTIFICATE = local('drills/expired.pem');

/**
 * A worker whose mail server cannot be used, and then one whose server can.
 *
 * @returns the row, which holds the cause that the log must name.
 */
async function sendThrough(stack, { client, row, name, promise, cause, env }) {
  const observer = createObserver(name);
  await Promise.all(stack.workers.map((worker) => worker.kill()));
  const worker = await stack.addProcess('worker', { name: `worker-${row}`, env });
  const from = Date.now();
  await worker.start();
  const [lead] = await client.ask('send', { count: 1, website: stack.websites.fine, phase: name });
  const isAbout = (line) => line.msg === 'Mail server is away';
  await until('the log tells', () => worker.lines().some(isAbout));
  const [line] = observer.log(worker, from, isAbout);
  const ready = await observer.ready(worker);
  const metrics = await observer.metrics(worker, ['formgate_dependency_up', 'formgate_mail_server_held']);
  const [waiting] = await stack.postgres.query(
    'SELECT state, retries FROM notifications WHERE submission_id = $1',
    [lead],
  );
  await worker.stop();
  await Promise.all(stack.workers.map((each) => each.start()));
  const mendedAt = Date.now();
  await until('it is sent', () => copiesOf(stack.kept()).has(lead));
  const sentS = (Date.now() - mendedAt) / 1000;
  const copies = copiesOf(stack.kept()).get(lead).length;
  return {
    row,
    promise,
    figure: `${line.cause}; readyz ${ready.status} mail ${ready.mail}; ${waiting.state}, ${waiting.retries} tries; then ${copies} sent in ${sentS.toFixed(0)} s`,
    bar: `${cause}; 503 away; pending, 0; 1`,
    ok:
      line.cause === cause &&
      ready.status === 503 &&
      ready.mail === 'away' &&
      metrics['formgate_dependency_up{dependency="mail"}'] === 0 &&
      metrics.formgate_mail_server_held === 1 &&
      waiting.state === 'pending' &&
      waiting.retries === 0 &&
      copies === 1,
  };
}

/** A mail server whose certificate has expired; who issued it is trusted. */
export async function expireCertificate(stack, { client }) {
  const pem = readFileSync(CERTIFICATE);
  const server = createServer({ key: pem, cert: pem }, (socket) => socket.on('error', () => undefined));
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const env = {
    SMTP_URL: `smtps://127.0.0.1:${server.address().port}`,
    NODE_EXTRA_CA_CERTS: CERTIFICATE,
  };
  try {
    const promise = "the mail server's certificate has expired: the log says so, e-mails wait";
    return [
      await sendThrough(stack, {
        client,
        row: 'D',
        name: 'certificate',
        promise,
        cause: 'tls_certificate_expired',
        env,
      }),
    ];
  } finally {
    server.close();
  }
}

/** A mail server whose name does not exist. */
export async function misspellMailServer(stack, { client }) {
  const promise = "the mail server's name is unknown: the log says so, e-mails wait";
  const env = { SMTP_URL: 'smtp://mail.formgate.invalid' };
  return [
    await sendThrough(stack, { client, row: 'E', name: 'mail host', promise, cause: 'name_not_found', env }),
  ];
}
