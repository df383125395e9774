import { createTransport } from 'nodemailer';
import { hasLogin } from './mailer.js';

/**
 * Connects to the mail server and logs in as the mailer does, without sending. @throws the server's or network's error.
 */
export async function verifyMailServer(smtpUrl: string, timeoutMs: number): Promise<void> {
  const transport = createTransport({
    url: smtpUrl,
    requireTLS: hasLogin(smtpUrl),
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}
