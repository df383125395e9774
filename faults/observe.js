import { METRICS_TOKEN } from './stack.js';

const SHOWN_LINES = 3;

/** What each drill has seen, by drill: drills run side by side, and each is to be read in one piece. */
const seen = new Map();

/** Prints what log, metrics and readiness said in each drill, each line once, and what a drill did not look at. */
export function printSeen() {
  for (const [drill, lines] of seen) {
    console.log(`\n${drill}`);
    for (const { what, text } of lines) console.log(`  ${what.padEnd(8)}${text}`);
    const missing = ['log', 'metric', 'readyz'].filter((what) => !lines.some((line) => line.what === what));
    if (missing.length > 0) console.log(`  nothing of ${missing.join(', ')}`);
  }
}

/** What log, metrics and readiness of a process say during a drill; `printSeen` prints it. */
export function createObserver(drill) {
  const lines = seen.get(drill) ?? [];
  seen.set(drill, lines);
  const print = (what, text) => {
    if (!lines.some((line) => line.what === what && line.text === text)) lines.push({ what, text });
  };
  const get = (program, path) =>
    fetch(`http://127.0.0.1:${program.port}${path}`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    });

  return {
    print,

    /** The lines of a log, since a time in ms, that are meant; it notes the first of them. */
    log(program, since, isMeant) {
      const meant = program.lines().filter((line) => Date.parse(line.time) >= since && isMeant(line));
      for (const line of meant.slice(0, SHOWN_LINES)) {
        const { level, time, process, requestId, websiteId, leadId, ...said } = line;
        print('log', `${program.name} ${JSON.stringify(said)}`);
      }
      if (meant.length > SHOWN_LINES) print('log', `… ${meant.length} lines like these`);
      return meant;
    },

    /** The answer of `/readyz`; it is noted by `ready`, and only returned by `isReady`. */
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
