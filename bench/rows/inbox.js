import { quantile } from '../../faults/table.js';
import { ask } from '../load.js';
import { inboxRequest, logIn } from '../panel.js';

const TIMES = 60;

/** What is looked for: words that many, some and few have sent, and the state of the e-mail. */
const PAGES = {
  'first page': {},
  'a common word': { filter: { text: 'bonjour' } },
  'two words': { filter: { text: 'camille martin' } },
  'a word, e-mail failed': { filter: { text: 'bonjour', notificationStates: ['failed'] } },
};

/** The submission in the middle of what a viewer sees: its cursor, and the address that it was sent with. */
async function middleOf(database, teamSlug) {
  const ofTeam = teamSlug ? `WHERE team_id = (SELECT id FROM teams WHERE slug = '${teamSlug}')` : '';
  const [{ at, id, address }] = await database.query(
    `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, id, emails[1] AS address
       FROM submissions ${ofTeam} ORDER BY created_at DESC, id DESC
     OFFSET (SELECT count(*) / 2 FROM submissions ${ofTeam}) LIMIT 1`,
  );
  return { cursor: Buffer.from(JSON.stringify([at, id])).toString('base64url'), address };
}

/** The inbox of a million submissions, one request after the other, as staff and as the largest team see it. */
export async function measure(stack) {
  const database = await stack.database({ submissions: 1_000_000 });
  const gateway = await stack.gateway(database);
  const viewers = { staff: ['staff@seed.test', null], owner: ['owner@seed-1.test', 'seed-1'] };
  const rows = [];
  for (const [viewer, [email, team]] of Object.entries(viewers)) {
    const cookie = await logIn(gateway.url, email);
    const { cursor, address } = await middleOf(database, team);
    const pages = {
      ...PAGES,
      'a deep page': { after: cursor },
      'a rare word': { filter: { text: address } },
    };
    for (const [name, variables] of Object.entries(pages)) {
      const request = inboxRequest(cookie, variables);
      const latencies = [];
      for (let i = 0; i <= TIMES; i++) {
        const from = performance.now();
        const [{ errors }] = await ask(gateway.url, [request]);
        if (errors) throw new Error(`${name}: ${JSON.stringify(errors)}`);
        // The first one reads from the disk, and the gateway meets the page for the first time.
        if (i > 0) latencies.push(performance.now() - from);
      }
      rows.push({
        path: `inbox of 1,000,000, ${viewer}, ${name}, p95 in ms`,
        figure: quantile(latencies, 0.95),
        atMost: 50,
      });
    }
  }
  await gateway.stop();
  return rows;
}
