import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** Stands in for a captcha provider, which accepts every token with a secret that is valid. */
export async function serveProvider(...valid) {
  const secrets = new Set(valid);
  const server = createServer(async (request, response) => {
    const success = secrets.has(new URLSearchParams(await text(request)).get('secret'));
    const codes = success ? [] : ['invalid-input-secret'];
    const answer = { success, 'error-codes': codes, challenge_ts: new Date().toISOString() };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/siteverify`,
    secrets,
    close: () => server.close(),
  };
}
