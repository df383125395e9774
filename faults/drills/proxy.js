import { createObserver } from '../observe.js';
import { until } from '../processes.js';

const REQUESTS = 20;
const WARNING = /TRUST_PROXY/;

/** A gateway behind a proxy that it does not know of. */
export async function forgetProxy(stack) {
  const observer = createObserver('proxy');
  const gateway = await stack.addProcess('gateway', { name: 'gateway-F', env: { TRUST_PROXY: undefined } });
  await gateway.start();
  for (let number = 0; number < REQUESTS; number++) {
    await fetch(`http://127.0.0.1:${gateway.port}/api/websites/${stack.websites.fine}/captcha`, {
      headers: { 'x-forwarded-for': `198.51.100.${number}`, origin: 'https://www.fine.test' },
    });
  }
  await until('the log warns', () => gateway.lines().some(({ msg }) => WARNING.test(msg)));
  await observer.ready(gateway);
  await observer.metrics(gateway, ['formgate_dependency_up', 'formgate_submissions_total']);
  await gateway.stop();
  const lines = observer.log(gateway, 0, ({ msg }) => WARNING.test(msg));
  return [
    {
      row: 'F',
      promise: 'a proxy without TRUST_PROXY: one warning, with its address',
      figure: `${lines.length} for ${REQUESTS} requests, ${lines[0].address}`,
      bar: '1, 127.0.0.1',
      ok: lines.length === 1 && lines[0].address === '127.0.0.1',
    },
  ];
}
