import { randomBytes } from 'node:crypto';
import { createTransport } from 'nodemailer';
import { until } from '../processes.js';
import { STEP } from './document.js';

const BODY = JSON.stringify({ email: 'visitor@example.com', name: 'Visitor' });

const jsonOf = async (response) => ({ status: response.status, ...(await response.json()) });

/** Submits with an integration token of the website's team. @returns the lead's id. */
export async function submitLead({ env }, { websiteId, token }) {
  const answer = await jsonOf(
    await fetch(`${env.PUBLIC_URL}/api/websites/${websiteId}/forms/contact/submit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: BODY,
    }),
  );
  if (answer.status !== 200) throw new Error(`Not submitted: ${JSON.stringify(answer)}`);
  return answer.lead_id;
}

/** Submits as a visitor whose browser has solved the captcha. @returns the status. */
export async function submitAsVisitor({ env }, { websiteId, origin }) {
  const url = `${env.PUBLIC_URL}/api/websites/${websiteId}`;
  const headers = { origin, 'content-type': 'application/json' };
  const { signature, timestamp } = await jsonOf(await fetch(`${url}/signature`, { headers }));
  const response = await fetch(`${url}/forms/contact/submit`, {
    method: 'POST',
    headers: {
      ...headers,
      'x-website-signature': signature,
      'x-website-timestamp': String(timestamp),
      'x-captcha-provider': STEP.key,
      'x-captcha-token': randomBytes(16).toString('hex'),
    },
    body: BODY,
  });
  return response.status;
}

/** Waits until the mail server has the e-mail of a lead. @returns what it kept. */
export const mailOf = (stack, lead) =>
  until('the e-mail is sent', () => stack.kept().find(({ id }) => id === lead));

/** Reports to the envelope's sender that a mailbox does not exist, as a mail server does. */
export async function bounce({ env }, { from, to: [to] }) {
  const transport = createTransport({ host: '127.0.0.1', port: Number(env.BOUNCE_PORT), ignoreTLS: true });
  const raw = `From: MAILER-DAEMON@mx.test
To: ${from}
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b1"

--b1
Content-Type: text/plain

The mailbox does not exist.

--b1
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.test

Final-Recipient: rfc822; ${to}
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 User unknown

--b1--
`;
  // A worker that has still to record the mail server's answer asks for a later try.
  await until('the report is taken', () =>
    transport.sendMail({ envelope: { from: '', to: [from] }, raw: raw.replaceAll('\n', '\r\n') }),
  );
  transport.close();
}
