// Sends submissions and writes every answer to a file; a process of its own that knows nothing of the rest.
import { appendFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

const { port, token, file } = JSON.parse(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

let load = null;
let sequence = 0;
let accepted = 0;
const inFlight = new Set();

function submit(website, phase) {
  sequence += 1;
  const number = sequence;
  const startedAt = Date.now();
  const body = JSON.stringify({ email: `visitor${number}@example.com`, name: `n${number}` });
  return new Promise((resolve) => {
    const end = (answer) => {
      const line = { number, phase, at: startedAt, ms: Date.now() - startedAt, ...answer };
      appendFileSync(file, `${JSON.stringify(line)}\n`);
      resolve(line);
    };
    const outgoing = request(
      {
        port,
        agent,
        method: 'POST',
        host: '127.0.0.1',
        path: `/api/websites/${website}/forms/contact/submit`,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('error', (error) => end({ error: error.code ?? error.message }));
        response.on('end', () => {
          const lead = response.statusCode === 200 ? JSON.parse(text).lead_id : undefined;
          if (lead) accepted += 1;
          end({ status: response.statusCode, lead });
        });
      },
    );
    outgoing.on('error', (error) =>
      end({ error: error.code ?? error.message, reused: outgoing.reusedSocket }),
    );
    outgoing.setTimeout(20_000, () => outgoing.destroy(new Error('TIMEOUT')));
    outgoing.end(body);
  });
}

function track(promise) {
  inFlight.add(promise);
  return promise.finally(() => inFlight.delete(promise));
}

const orders = {
  ready: () => true,
  accepted: () => accepted,
  /** So many a second, until told otherwise; never more than 32 at once. */
  async start({ perSecond, websites, phase }) {
    clearInterval(load);
    let owed = 0;
    let last = performance.now();
    load = setInterval(() => {
      const now = performance.now();
      owed = Math.min(owed + ((now - last) * perSecond) / 1000, 32);
      last = now;
      for (; owed >= 1 && inFlight.size < 32; owed -= 1) {
        track(submit(websites[sequence % websites.length], phase));
      }
    }, 5);
  },
  /** Ends the load, and resolves when every answer is written. */
  async stop() {
    clearInterval(load);
    while (inFlight.size > 0) await Promise.all(inFlight);
  },
  /** Exactly so many accepted, however often it takes; for what is counted. */
  async send({ count, website, phase }) {
    const leads = [];
    while (leads.length < count) {
      const batch = Math.min(16, count - leads.length);
      const answers = await Promise.all(Array.from({ length: batch }, () => track(submit(website, phase))));
      leads.push(...answers.flatMap(({ lead }) => lead ?? []));
    }
    return leads;
  },
};

process.on('message', async ({ order, type, ...data }) => {
  process.send({ order, result: (await orders[type](data)) ?? null });
});
process.on('disconnect', () => process.exit());
