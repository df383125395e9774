import { setTimeout as pause } from 'node:timers/promises';
import { OWNER } from './stack.js';

const LOGIN = 'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }';

const SEND_AGAIN = `mutation ($ids: [ID!]!) {
  sendSelectedAgain(selection: { ids: $ids }, includeSent: true) { outcomes { outcome ids } }
}`;
const AGAIN_EVERY_MS = 400;
const AT_ONCE = 3;

/** Logs in as the owner of a team, as a browser does. */
export async function openPanel({ gateway }) {
  let cookie = '';
  const send = async (body) => {
    const response = await fetch(`http://127.0.0.1:${gateway.port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body,
    });
    cookie = response.headers.getSetCookie().at(-1)?.split(';')[0] ?? cookie;
    const text = await response.text();
    return { status: response.status, length: text.length, ...JSON.parse(text) };
  };
  const ask = async (query, variables) => {
    const { data, errors } = await send(JSON.stringify({ query, variables }));
    return { data, errors };
  };
  const { errors } = await ask(LOGIN, OWNER);
  if (errors) throw new Error(`The owner cannot log in: ${JSON.stringify(errors)}`);
  return { send, ask };
}

/**
 * Sends e-mails that were sent again, some at a time, while everything around it dies.
 *
 * @returns the submissions of which it was told so far that the e-mail is on its way, and a function that stops it.
 */
export function sendAgainInPanel(stack) {
  const handedOver = new Set();
  let isStopped = false;
  let next = 0;
  let panel = null;
  async function request() {
    const leads = stack.answers().flatMap(({ lead }) => lead ?? []);
    if (leads.length === 0) return;
    panel ??= await openPanel(stack);
    // Far apart, and without the seeded numbers, which choose what dies.
    const ids = Array.from({ length: AT_ONCE }, () => leads[(next++ * 7_919) % leads.length]);
    const { data } = await panel.ask(SEND_AGAIN, { ids });
    const told = data?.sendSelectedAgain.outcomes.find(({ outcome }) => outcome === 'handed_over');
    for (const id of told?.ids ?? []) handedOver.add(id);
  }
  const requesting = (async () => {
    while (!isStopped) {
      await pause(AGAIN_EVERY_MS);
      // The gateway, or what it needs, is dead at times.
      await request().catch(() => undefined);
    }
  })();
  return {
    handedOver,
    async stop() {
      isStopped = true;
      await requesting;
    },
  };
}
