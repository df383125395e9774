import { setTimeout as pause } from 'node:timers/promises';
import { bodyOf, DOCUMENTS } from './hostile/documents.js';
import { FORMS } from './hostile/forms.js';
import { REQUESTS } from './hostile/hosts.js';
import { PATTERNS, TEXTS } from './hostile/patterns.js';
import { openPanel } from './panel.js';
import { forkModule, until } from './processes.js';

const WORST_MS = 50;
const IDLE_MS = 3_000;
/** A hostile thing holds up others each time; a garbage collection or another process of the machine only once. */
const TRIES = 3;
/** No answer of the panel is as long. */
const MAX_ANSWER = 2_000_000;

const CREATE = `mutation ($teamId: ID!, $slug: String!, $input: FormInput!) {
  createForm(teamId: $teamId, slug: $slug, input: $input) { id }
}`;
const LINK = `mutation ($site: ID!, $form: ID!) {
  saveFormLink(websiteId: $site, formId: $form, input: {}) { enabled }
}`;

const formOf = (pattern) => ({
  name: 'Pattern',
  sourceLocale: 'en',
  submitButtonText: 'Send',
  confirmationMessage: 'Thanks.',
  fields: [{ name: 'f0', type: 'text', label: 'Text', attributes: { pattern } }],
});

/** Each form to be saved, and what is submitted to it then. */
const ITEMS = [
  ...PATTERNS.map(({ pattern, refusal }) => ({
    name: `pattern ${pattern.slice(0, 40)}`,
    input: formOf(pattern),
    refusal,
    bodies: TEXTS.map((text) => ({ f0: text })),
  })),
  ...FORMS.map(({ name, input, refusal, values = {} }) => ({ name, input, refusal, bodies: [values] })),
];

/** Does one hostile thing, again while it delays others too long. @returns its least delay of others, and its first. */
async function sendUntilQuick(pulse, item, send) {
  const delay = {
    name: item.name,
    isRight: true,
    count: 0,
    worstMs: Number.POSITIVE_INFINITY,
    firstMs: null,
  };
  for (let tries = 0; tries < TRIES && delay.worstMs > WORST_MS; tries++) {
    const isRight = await send(item);
    const { count, worstMs } = await pulse.ask('take');
    delay.isRight &&= isRight;
    delay.count += count;
    delay.firstMs ??= worstMs;
    delay.worstMs = Math.min(delay.worstMs, worstMs);
  }
  return delay;
}

/** Does one hostile thing after the other. @returns what did not end as it should, and what delayed others most. */
async function sendEach(pulse, items, send) {
  const delays = [];
  for (const item of items) delays.push(await sendUntilQuick(pulse, item, send));
  const wrong = delays.filter(({ isRight }) => !isRight).map(({ name }) => name);
  delays.sort((one, other) => other.worstMs - one.worstMs);
  return { wrong, delays, worst: delays[0], count: delays.reduce((total, { count }) => total + count, 0) };
}

/** Saves a hostile form, and submits to it when it is saved. @returns whether that went as it should. */
async function createSendForm(stack, panel, token) {
  const site = stack.websites.fine;
  const [{ id: teamId }] = await stack.postgres.query("SELECT id FROM teams WHERE slug = 'wide'");
  const submit = async (slug, body) => {
    const path = `/api/websites/${site}/forms/${slug}/submit`;
    const { status } = await fetch(`http://127.0.0.1:${stack.gateway.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    return status;
  };
  let serial = 0;
  return async ({ input, refusal, bodies }) => {
    serial += 1;
    const slug = `hostile-${serial}`;
    const { data, errors } = await panel.ask(CREATE, { teamId: String(teamId), slug, input });
    if (refusal) {
      const said = [
        errors?.[0]?.message ?? '',
        ...Object.values(errors?.[0]?.extensions.errors ?? {}).flat(),
      ];
      return said.some((message) => message.includes(refusal));
    }
    if (errors) return false;
    await panel.ask(LINK, { site, form: data.createForm.id });
    await until(`${slug} is served`, async () => (await submit(slug, {})) !== 404);
    for (const body of bodies) if (![200, 413, 422].includes(await submit(slug, body))) return false;
    return true;
  };
}

const createSendDocument =
  (panel) =>
  async ({ request, refused }) => {
    const { status, length, errors } = await panel.send(bodyOf(request));
    return status < 500 && length <= MAX_ANSWER && Boolean(errors) === refused;
  };

/** Sends a request of a stranger, from the page of a website unless it says where from. */
const createSendRequest =
  ({ websites, gateway }) =>
  async ({ path, method, headers, body, status }) => {
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/api/websites/${websites.fine}/${path}`, {
      method,
      headers: { origin: 'https://www.fine.test', ...headers },
      body,
    });
    await answer.arrayBuffer();
    return answer.status === status;
  };

const listed = (names) =>
  `${names.length} not${names.length > 0 ? ` (${names.slice(0, 3).join('; ')})` : ''}`;

/** Everything that is known to cost a gateway its time, while another connection asks whether it is well. */
export async function sendHostility(stack) {
  const token = await stack.tokenOf('wide');
  const panel = await openPanel(stack);
  const pulse = forkModule('pulse.js', { port: stack.gateway.port });
  await pulse.ask('ready');
  await pause(IDLE_MS);
  const idle = await pulse.ask('take');
  const forms = await sendEach(pulse, ITEMS, await createSendForm(stack, panel, token));
  const documents = await sendEach(pulse, DOCUMENTS, createSendDocument(panel));
  const requests = await sendEach(pulse, REQUESTS, createSendRequest(stack));
  await pulse.stop();
  for (const { name, worstMs, firstMs } of [...forms.delays, ...documents.delays, ...requests.delays]) {
    if (firstMs > WORST_MS)
      console.log(`${worstMs.toFixed(0)} ms, ${firstMs.toFixed(0)} ms at first: ${name}`);
  }
  const row = 15;
  const delay = (promise, { worst, count }) => ({
    row,
    promise,
    bar: `≤ ${WORST_MS} ms`,
    ok: count > 0 && worst.worstMs <= WORST_MS,
    figure: `${worst.worstMs.toFixed(0)} ms at worst of ${count} (idle ${idle.worstMs.toFixed(0)} ms)`,
  });
  const wrong = [...forms.wrong, ...documents.wrong, ...requests.wrong];
  return [
    delay(`${PATTERNS.length} patterns, ${FORMS.length} forms, saved and sent to, delay no answer`, forms),
    delay(`${DOCUMENTS.length} GraphQL documents delay no answer`, documents),
    delay(`${REQUESTS.length} requests of strangers delay no answer`, requests),
    {
      row,
      promise: 'each is saved or answered, or refused with its sentence',
      bar: '0 not',
      figure: listed(wrong),
      ok: wrong.length === 0,
    },
  ];
}
