import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import { z } from 'zod';
import { listen } from '../listen.js';
import { type CatcherIdentity, createMailPage } from './mail-page.js';
import { openMailStore } from './mail-store.js';

/** The addresses of a running mail catcher. */
interface MailCatcherAddress {
  smtpUrl: string;
  pageUrl: string;
}

export interface MailCatcher extends MailCatcherAddress {
  /** Stops receiving; received mails are kept. */
  stop(): Promise<void>;
}

const MAIL_LIMIT_BYTES = 25 * 1024 * 1024;
const PROBE_TIMEOUT_MS = 2_000;

const recordSchema = z.object({ id: z.string(), smtpUrl: z.url(), pageUrl: z.url() });

const recordFile = (directory: string) => join(directory, 'mail-catcher.json');

/**
 * Starts a mail catcher: a real SMTP server that delivers nowhere, and a page to read received mails.
 * Mails are stored in `mail/` of the data folder, and `mail-catcher.json` beside it holds the catcher's addresses.
 *
 * @param directory the data folder.
 * @param smtpPort the port to receive on; a free one is taken when it is in use. Likewise `pagePort`.
 */
export async function startMailCatcher({
  directory,
  host = '127.0.0.1',
  smtpPort = 1025,
  pagePort = 8025,
}: {
  directory: string;
  host?: string;
  smtpPort?: number;
  pagePort?: number;
}): Promise<MailCatcher> {
  const store = await openMailStore(join(directory, 'mail'));
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 1_000,
    size: MAIL_LIMIT_BYTES,
    onData(stream, _session, done) {
      receive(stream).then(
        () => done(),
        (error: Error) => done(error),
      );
    },
  });
  // A client that breaks its connection off must not end the process.
  smtp.on('error', () => undefined);

  const receive = async (stream: SMTPServerDataStream) => store.add(await readMail(stream));

  const smtpUrl = `smtp://${await listen(smtp.server, host, smtpPort)}`;
  const identity: CatcherIdentity = { id: randomUUID(), smtpUrl };
  const http = createServer(createMailPage(store, identity));
  const pageUrl = `http://${await listen(http, host, pagePort)}`;
  const record = { ...identity, pageUrl };
  await writeRecord(directory, record);

  return {
    smtpUrl,
    pageUrl,
    async stop() {
      if ((await readRecord(directory))?.id === record.id) await rm(recordFile(directory), { force: true });
      await Promise.all([
        new Promise<void>((resolve) => smtp.close(() => resolve())),
        new Promise<void>((resolve) => {
          http.close(() => resolve());
          http.closeAllConnections();
        }),
      ]);
    },
  };
}

/** Reads a mail. One that is too large is refused as soon as it is, and the server drops the rest of it. */
async function readMail(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAIL_LIMIT_BYTES)
      throw Object.assign(new Error('The mail is too large.'), { responseCode: 552 });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Finds the catcher of a data folder, even in another process; undefined when none answers. */
export async function findMailCatcher(directory: string): Promise<MailCatcherAddress | undefined> {
  const record = await readRecord(directory);
  if (!record) return undefined;
  try {
    const answer = await fetch(`${record.pageUrl}/api/catcher`, {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    const { id } = (await answer.json()) as Partial<CatcherIdentity>;
    return id === record.id ? { smtpUrl: record.smtpUrl, pageUrl: record.pageUrl } : undefined;
  } catch {
    return undefined;
  }
}

async function readRecord(directory: string) {
  const content = await readFile(recordFile(directory), 'utf8').catch(() => 'null');
  try {
    return recordSchema.parse(JSON.parse(content));
  } catch {
    return undefined;
  }
}

async function writeRecord(directory: string, record: z.infer<typeof recordSchema>): Promise<void> {
  const draft = `${recordFile(directory)}.${record.id}`;
  await writeFile(draft, JSON.stringify(record), { mode: 0o600 });
  await rename(draft, recordFile(directory));
}
