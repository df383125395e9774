import { METRICS_TOKEN } from './stack.js';

const SHOWN_LINES = 3;

/** What log, metrics and readiness of a process say during a drill, which prints it all. */
export function createObserver(drill) {
  const print = (what, text) => console.log(`${drill}: ${what.padEnd(8)}${text}`);
  const get = (program, path) =>
    fetch(`http://127.0.0.1:${program.port}${path}`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    });

  return {
    print,

    /** The lines of a log, since a time in ms, that are meant; it prints the first of them. */
    log(program, since, isMeant) {
      const meant = program.lines().filter((line) => Date.parse(line.time) >= since && isMeant(line));
      for (const line of meant.slice(0, SHOWN_LINES)) {
        const { level, time, process, requestId, websiteId, leadId, ...said } = line;
        print('log', `${program.name} ${JSON.stringify(said)}`);
      }
      if (meant.length > SHOWN_LINES) print('log', `… ${meant.length} lines like these`);
      return meant;
    },

    /** The answer of `/readyz`; it is printed by `ready`, and only returned by `isReady`. */
    async ready(program) {
      const response = await get(program, '/readyz');
      const states = await response.json();
      print('readyz', `${program.name} ${response.status} ${JSON.stringify(states)}`);
      return { status: response.status, ...states };
    },

    isReady: async (program) => (await get(program, '/readyz')).status === 200,

    /** The values of some metrics, by name and labels as `GET /metrics` writes them. */
    async metrics(program, names) {
      const text = await (await get(program, '/metrics')).text();
      const samples = [...text.matchAll(/^(\w+)(\{[^}]*\})? (\S+)$/gm)].filter(([, name]) =>
        names.includes(name),
      );
      for (const [sample] of samples) print('metric', `${program.name} ${sample}`);
      return Object.fromEntries(
        samples.map(([, name, labels = '', value]) => [`${name}${labels}`, Number(value)]),
      );
    },
  };
}

/** The row of a drill that cannot be carried out on this machine, which says so loudly and fails nothing. */
export function leftOut(row, promise, reason) {
  console.error(`*** LEFT OUT: ${promise}: ${reason} ***`);
  return { row, promise, figure: reason, bar: '', ok: null };
}
