import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime, { type Address } from 'postal-mime';

const KEPT_MAILS = 500;
const FILE_NAME = /^(\d{13}-\d{4}-[0-9a-f]{8})\.eml$/;

/** A mail's entry in a list. */
export interface MailSummary {
  id: string;
  /** Time of receipt, ISO 8601. */
  receivedAt: string;
  from: string;
  to: string[];
  replyTo: string[];
  subject: string;
}

/** A whole mail. Every text in it is the sender's and must be escaped. */
export interface Mail extends MailSummary {
  date: string;
  messageId: string;
  headers: { name: string; value: string }[];
  text: string;
  html: string;
  raw: string;
}

export type MailStore = Awaited<ReturnType<typeof openMailStore>>;

/** Opens a folder of caught mails: one .eml file each, of which the newest 500 are kept. */
export async function openMailStore(directory: string) {
  await mkdir(directory, { recursive: true });
  const ids = (await readdir(directory)).flatMap((name) => FILE_NAME.exec(name)?.[1] ?? []).sort();
  /** Cached summaries: a caught mail never changes, so each is computed once. */
  const summaries = new Map<string, MailSummary>();
  let arrivals = 0;
  const file = (id: string) => join(directory, `${id}.eml`);

  async function remove(id: string): Promise<void> {
    summaries.delete(id);
    await rm(file(id), { force: true });
  }

  async function read(id: string): Promise<Mail | undefined> {
    if (!ids.includes(id)) return undefined;
    const raw = await readFile(file(id)).catch(() => undefined);
    return raw && parse(id, raw);
  }

  return {
    /** Stores a mail unchanged; it is on the disk when the call returns. */
    async add(raw: Buffer): Promise<string> {
      const order = String(arrivals++ % 10_000).padStart(4, '0');
      const id = `${Date.now()}-${order}-${randomBytes(4).toString('hex')}`;
      await writeFile(`${file(id)}.part`, raw, { mode: 0o600 });
      await rename(`${file(id)}.part`, file(id));
      ids.push(id);
      await Promise.all(ids.splice(0, Math.max(0, ids.length - KEPT_MAILS)).map(remove));
      return id;
    },

    /** Reads the mail of an id; undefined when there is none. */
    read,

    /** Lists all mails, the newest first. */
    async list(): Promise<MailSummary[]> {
      const listed: MailSummary[] = [];
      for (const id of ids.toReversed()) {
        const summary = summaries.get(id) ?? summarise(await read(id));
        if (!summary) continue;
        summaries.set(id, summary);
        listed.push(summary);
      }
      return listed;
    },

    async clear(): Promise<void> {
      await Promise.all(ids.splice(0).map(remove));
    },
  };
}

function summarise(mail: Mail | undefined): MailSummary | undefined {
  if (!mail) return undefined;
  const { id, receivedAt, from, to, replyTo, subject } = mail;
  return { id, receivedAt, from, to, replyTo, subject };
}

async function parse(id: string, raw: Buffer): Promise<Mail> {
  const received = { id, receivedAt: new Date(Number(id.slice(0, 13))).toISOString(), raw: raw.toString() };
  // A mail that cannot be parsed is shown by its source, because it was sent all the same.
  const email = await PostalMime.parse(raw).catch(() => undefined);
  return {
    ...received,
    from: email?.from ? formatAddress(email.from) : '',
    to: [...(email?.to ?? []), ...(email?.cc ?? []), ...(email?.bcc ?? [])].map(formatAddress),
    replyTo: email?.replyTo?.map(formatAddress) ?? [],
    subject: email?.subject ?? '',
    date: email?.date ?? '',
    messageId: email?.messageId ?? '',
    headers: email?.headers.map(({ originalKey, value }) => ({ name: originalKey, value })) ?? [],
    text: email?.text ?? '',
    html: email?.html ?? '',
  };
}

function formatAddress({ name, address, group }: Address): string {
  if (address === undefined) return `${name}: ${group.map(formatAddress).join(', ')}`;
  return name ? `${name} <${address}>` : address;
}
