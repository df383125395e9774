// Sends requests at their own moments and takes the time to each answer, as a process of its own that makes next to no
// garbage meanwhile: what the bench has prepared is not in its memory, the requests are bytes before it begins, and
// all connections read into one buffer. Else its own pauses would be in what it measures.
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

/** Of a paced run, what is not counted: the connections are made then. */
const WARM_UP_S = 1;

/** A request without an answer this long after the last one was due counts as unanswered. */
const GIVE_UP_MS = 20_000;

const buffer = Buffer.alloc(64 * 1024);

function bytesOf({ method = 'GET', path, headers = {}, body = '' }, host) {
  const lines = Object.entries({ host, ...headers, 'content-length': Buffer.byteLength(body) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** Whether the answer is all there, by its Content-Length, without which it never is. */
function isComplete(answer) {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(answer)?.[1];
  return answer.length >= headEnd + 4 + Number(length);
}

/** A kept connection, which is asked one request at a time. */
function openConnection({ hostname, port }, fail) {
  let answer = '';
  let answered;
  const onread = {
    buffer,
    callback(length) {
      answer += buffer.latin1Slice(0, length);
      if (!isComplete(answer)) return;
      const complete = answer;
      answer = '';
      answered(complete);
    },
  };
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
  socket.on('error', fail).on('end', () => fail(new Error('The server closed a connection.')));
  return {
    send(bytes, onAnswer) {
      answered = onAnswer;
      socket.write(bytes);
    },
    close: () => socket.destroy(),
  };
}

/** What `openPacer` promises. */
async function pace({ url, requests, perSecond, status }) {
  const address = new URL(url);
  const texts = requests.map((request) => bytesOf(request, address.host));
  const firstCounted = Math.ceil(WARM_UP_S * perSecond);
  const latencies = new Float64Array(Math.max(0, texts.length - firstCounted));
  const connections = [];
  const idle = [];
  collectGarbage();
  const startedAt = performance.now();
  const dueAt = (i) => startedAt + (i * 1000) / perSecond;
  let timer;
  let patience;
  try {
    await new Promise((resolve, reject) => {
      let next = 0;
      let left = texts.length;
      const open = () => {
        const connection = openConnection(address, reject);
        connections.push(connection);
        return connection;
      };
      const send = (i) => {
        const connection = idle.pop() ?? open();
        connection.send(texts[i], (answer) => {
          if (i >= firstCounted) latencies[i - firstCounted] = performance.now() - dueAt(i);
          if (!answer.startsWith(`HTTP/1.1 ${status} `)) reject(new Error(answer));
          idle.push(connection);
          left -= 1;
          if (left === 0) resolve();
        });
      };
      const sendDue = () => {
        while (next < texts.length && dueAt(next) <= performance.now()) send(next++);
        if (next < texts.length) timer = setTimeout(sendDue, dueAt(next) - performance.now());
      };
      const giveUp = () => reject(new Error(`${left} of ${texts.length} requests were not answered.`));
      patience = setTimeout(giveUp, dueAt(texts.length) + GIVE_UP_MS - performance.now());
      sendDue();
    });
  } finally {
    clearTimeout(timer);
    clearTimeout(patience);
    for (const connection of connections) connection.close();
  }
  return [...latencies];
}

process.on('message', async ({ order, ...run }) => {
  const result = await pace(run).then(
    (latencies) => ({ latencies }),
    ({ message }) => ({ error: message }),
  );
  process.send({ order, result });
});
