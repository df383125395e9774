import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import nodemailer, { type SendMailOptions } from 'nodemailer';
import {
  findMailCatcher,
  type MailCatcher,
  startMailCatcher,
} from '../../../src/embedded/mail/mail-catcher.js';
import type { Mail, MailSummary } from '../../../src/embedded/mail/mail-store.js';
import { eventually } from '../../support/wait.js';

let directory: string;
let catcher: MailCatcher;

const start = () => startMailCatcher({ directory, smtpPort: 0, pagePort: 0 });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'formgate-mail-'));
  catcher = await start();
});
afterAll(async () => {
  await catcher.stop();
  await rm(directory, { recursive: true, force: true });
});

async function send(mail: SendMailOptions): Promise<void> {
  const transport = nodemailer.createTransport(catcher.smtpUrl);
  await transport.sendMail({ from: 'gateway@formgate.test', to: 'client@agency.test', ...mail });
  transport.close();
}

const page = (path: string) => fetch(`${catcher.pageUrl}${path}`);
const list = async () => (await (await page('/api/messages')).json()) as MailSummary[];
const newest = async () => (await (await page(`/api/messages/${(await list())[0]?.id}`)).json()) as Mail;

/** The status of a request under another Host, which fetch does not let one choose. */
function statusFor(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(catcher.pageUrl, { headers: { host } }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
}

describe('the mail catcher', () => {
  test('shows a mail with its headers and both parts, and lists the newest first', async () => {
    await send({ subject: 'First', text: 'one' });
    await send({
      from: 'Formgate <gateway@formgate.test>',
      to: ['Éva <eva@agency.test>', 'bob@agency.test'],
      replyTo: 'visitor@site.test',
      subject: 'Nouvelle demande – été',
      messageId: '<lead-1@formgate.test>',
      text: 'Bonjour à tous',
      html: '<p>Bonjour <b>à tous</b></p>',
    });

    const [second, first] = await list();
    expect(first).toMatchObject({ subject: 'First', to: ['client@agency.test'] });
    expect(second).toMatchObject({ subject: 'Nouvelle demande – été', replyTo: ['visitor@site.test'] });

    const mail = await newest();
    expect(mail).toMatchObject({
      from: 'Formgate <gateway@formgate.test>',
      to: ['Éva <eva@agency.test>', 'bob@agency.test'],
      messageId: '<lead-1@formgate.test>',
      html: expect.stringContaining('<b>à tous</b>'),
    });
    expect(mail.text.trim()).toBe('Bonjour à tous');
    expect(mail.raw).toMatch(/^From: Formgate/m);

    const shown = await (await page(`/messages/${mail.id}`)).text();
    for (const text of [
      'Éva &lt;eva@agency.test&gt;',
      'visitor@site.test',
      'lead-1@formgate.test',
      'Bonjour à tous',
    ]) {
      expect(shown).toContain(text);
    }
  });

  test('shows hostile mail without running it', async () => {
    const attack = '"\'><script>alert(1)</script><img src=x onerror=alert(1)>';
    await send({
      from: { name: attack, address: 'a@b.test' },
      replyTo: { name: attack, address: 'a@b.test' },
      subject: attack,
      text: `</pre>${attack}`,
      html: `<script>alert(1)</script>${attack}`,
      headers: { 'X-Attack': attack },
    });
    const { id } = await newest();
    for (const path of ['/', `/messages/${id}`]) {
      const answer = await page(path);
      const shown = await answer.text();
      expect(shown).not.toMatch(/<script>alert|<img|<\/pre><?script|"'>/);
      expect(shown).toContain('&lt;script&gt;alert(1)');
      expect(answer.headers.get('content-security-policy')).toMatch(
        /default-src 'none'.*script-src 'sha256-/,
      );
    }
    const part = await page(`/messages/${id}/html`);
    expect(part.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
    expect(await (await page(`/messages/${id}`)).text()).toMatch(/<iframe sandbox title/);
  });

  test('shows mail that it cannot parse, and answers 404 for unknown mail', async () => {
    await send({ raw: 'no header at all' });
    expect((await newest()).raw).toContain('no header at all');
    for (const path of ['/messages/0', '/messages/..%2Fmail-catcher.json', '/api/messages/__proto__']) {
      expect((await page(path)).status).toBe(404);
    }
  });

  test('keeps its mail over a restart, and is discoverable only while it runs', async () => {
    await send({ subject: 'Before the restart' });
    const before = await list();
    expect(await findMailCatcher(directory)).toEqual({ smtpUrl: catcher.smtpUrl, pageUrl: catcher.pageUrl });
    await catcher.stop();
    expect(await findMailCatcher(directory)).toBeUndefined();
    catcher = await start();
    expect(await list()).toEqual(before);
    await send({ subject: 'After the restart' });
    expect((await list()).map(({ subject }) => subject).slice(0, 2)).toEqual([
      'After the restart',
      'Before the restart',
    ]);
  });

  test('takes free ports when the preferred ones are in use', async () => {
    const wanted = {
      smtpPort: Number(new URL(catcher.smtpUrl).port),
      pagePort: Number(new URL(catcher.pageUrl).port),
    };
    const elsewhere = await mkdtemp(join(tmpdir(), 'formgate-mail-'));
    const other = await startMailCatcher({ directory: elsewhere, ...wanted });
    expect(other.smtpUrl).not.toBe(catcher.smtpUrl);
    expect(await findMailCatcher(elsewhere)).toEqual({ smtpUrl: other.smtpUrl, pageUrl: other.pageUrl });
    await other.stop();
    await rm(elsewhere, { recursive: true });
  });

  test('refuses requests of other sites', async () => {
    const remove = (origin: string) =>
      fetch(`${catcher.pageUrl}/api/messages/delete`, { method: 'POST', headers: { origin } });
    const count = (await list()).length;
    expect((await remove('https://evil.test')).status).toBe(403);
    expect((await remove('null')).status).toBe(403);
    expect(await statusFor('evil.test:8025')).toBe(403);
    expect(await statusFor('localhost:8025')).toBe(200);
    expect(await list()).toHaveLength(count);
    expect((await remove(catcher.pageUrl)).status).toBe(204);
    expect(await list()).toEqual([]);
  });

  test('refuses a mail that never ends as soon as it is too large', async () => {
    const { hostname, port } = new URL(catcher.smtpUrl);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    let said = '';
    socket.on('data', (text) => {
      said += text;
    });
    await eventually(() => said.includes('220 '));
    socket.write('EHLO x\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\n');
    await eventually(() => said.includes('354 '));
    for (let megabytes = 0; megabytes < 28; megabytes++) socket.write(`${'x'.repeat(98)}\r\n`.repeat(10_000));
    await eventually(() => said.includes('552 '), { withinMs: 30_000 });
    socket.destroy();
    expect(await list()).toEqual([]);
    await send({ subject: 'Later', text: 'one' });
    expect(await list()).toMatchObject([{ subject: 'Later' }]);
  });
});
