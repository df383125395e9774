// Bare nodemailer with a pool: sends one message so many times, as fast as it can.
// Arguments: SMTP address, number of messages, connections, file with the message.
import { readFileSync } from 'node:fs';
import nodemailer from 'nodemailer';

const [url, count, connections, file] = process.argv.slice(2);
const message = JSON.parse(readFileSync(file, 'utf8'));
const { hostname, port } = new URL(url);
const transport = nodemailer.createTransport({
  host: hostname,
  port: Number(port),
  pool: true,
  maxConnections: Number(connections),
  maxMessages: Number.POSITIVE_INFINITY,
});

await Promise.all(Array.from({ length: Number(count) }, () => transport.sendMail(message)));
transport.close();
