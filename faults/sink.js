// An SMTP server that misbehaves as told, as a process of its own. What it accepts is in its file before the
// final 250 leaves.
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:net';

const { port, file } = JSON.parse(process.argv[2]);

/**
 * By recipient domain, or `*`: a reply such as `451 4.7.1 Wait`, or hang, reset, garbage; `slow 17` keeps the message
 * and says so after 17 s, `drop` keeps it and breaks the connection off instead.
 */
let rules = {};
/** At the next message of a worker that gets this far, kill it: mail, data, dot, accepted. */
let trap = null;
let sockets = new Set();
let kept = 0;

/** @returns whether the trap was set for this stage. */
function spring(stage, worker) {
  if (trap?.stage !== stage || trap.worker !== worker) return false;
  const { pid } = trap;
  trap = null;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was gone already.
  }
  return true;
}

function keep(envelope, raw) {
  const id = /^Message-ID: <(.+?)@/im.exec(raw.toString('latin1'))?.[1] ?? '?';
  const hash = createHash('sha256').update(raw).digest('hex').slice(0, 16);
  kept += 1;
  const { from, to } = envelope;
  appendFileSync(file, `${JSON.stringify({ at: Date.now(), id, hash, bytes: raw.length, from, to })}\n`);
}

function serveSmtp(socket) {
  let buffered = Buffer.alloc(0);
  let isData = false;
  let envelope = { to: [] };
  let worker = '';
  const say = (line, sent) => socket.write(`${line}\r\n`, sent);

  function obey(rule) {
    if (rule === 'reset') socket.resetAndDestroy();
    else if (rule === 'garbage') say('\u0000%%%% nonsense');
    else if (rule !== 'hang') {
      if (rule.startsWith('421')) socket.end(`${rule}\r\n`);
      else say(rule);
    }
  }

  function command(line) {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO' || verb === 'HELO') {
      worker = line.slice(5);
      say('250 sink');
    } else if (verb === 'MAIL') {
      spring('mail', worker);
      envelope = { from: /<(.*?)>/.exec(line)?.[1], to: [] };
      say('250 2.1.0 Ok');
    } else if (verb === 'RCPT') {
      const address = /<(.*)>/.exec(line)?.[1] ?? '';
      const rule = rules[address.split('@')[1]];
      if (rule?.startsWith('slow ')) envelope.slowS = Number(rule.slice(5));
      else if (rule === 'drop') envelope.isDropped = true;
      else if (rule) return obey(rule);
      envelope.to.push(address);
      say('250 2.1.5 Ok');
    } else if (verb === 'DATA') {
      spring('data', worker);
      isData = true;
      say('354 Go on');
    } else if (verb === 'QUIT') socket.end('221 Bye\r\n');
    else say('250 Ok');
  }

  function take() {
    for (;;) {
      const end = isData ? buffered.indexOf('\r\n.\r\n') : buffered.indexOf('\r\n');
      if (end < 0) return;
      const chunk = buffered.subarray(0, end);
      buffered = buffered.subarray(end + (isData ? 5 : 2));
      if (!isData) {
        command(chunk.toString('latin1'));
        continue;
      }
      isData = false;
      if (spring('dot', worker)) continue;
      keep(envelope, chunk);
      if (envelope.isDropped) {
        socket.resetAndDestroy();
        return;
      }
      const confirm = () => say('250 2.0.0 Kept', () => spring('accepted', worker));
      if (envelope.slowS) setTimeout(confirm, envelope.slowS * 1000);
      else confirm();
    }
  }

  if (rules['*']) return obey(rules['*']);
  say('220 sink');
  socket.on('data', (chunk) => {
    buffered = Buffer.concat([buffered, chunk]);
    take();
  });
}

const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.on('close', () => sockets.delete(socket));
  socket.setNoDelay(true);
  serveSmtp(socket);
});
server.listen(port, '127.0.0.1');

const orders = {
  ready: () => true,
  /** Open connections end, so that the new rules hold for everyone. */
  behave({ rules: next }) {
    rules = next;
    for (const socket of sockets) socket.destroy();
    sockets = new Set();
  },
  trap({ stage, worker, pid }) {
    trap = { stage, worker, pid };
  },
  isTrapSet: () => trap !== null,
  /** How many messages have been kept. */
  kept: () => kept,
};

process.on('message', ({ order, type, ...data }) => {
  process.send({ order, result: orders[type](data) ?? null });
});
process.on('disconnect', () => process.exit());
