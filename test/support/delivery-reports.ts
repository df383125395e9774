/** A report as a mail server writes it, for an e-mail to a recipient. */
export type ReportShape = (addressed: Readonly<{ to: string; returnPath: string }>) => string;

const crlf = (text: string): string => text.replaceAll('\n', '\r\n');

const headers = (from: string, to: string, subject: string): string =>
  `From: ${from}\nTo: ${to}\nSubject: ${subject}\nDate: Tue, 24 Nov 2026 09:00:00 +0100\nMIME-Version: 1.0\n`;

type Parts = Readonly<{
  from: string;
  subject: string;
  boundary?: string;
  words: string;
  /** The fields of the message, then a group for each recipient. */
  status: string;
  statusType?: string;
  /** The third part, with its headers. */
  original?: string;
}>;

/** A report per RFC 3462 and RFC 3464. */
function report(returnPath: string, parts: Parts): string {
  const { from, subject, boundary = 'b1', words, status, statusType = 'message/delivery-status' } = parts;
  const original = parts.original ?? 'Content-Type: text/rfc822-headers\n\nSubject: Nouvelle demande\n';
  return crlf(`${headers(from, returnPath, subject)}Content-Type: multipart/report; report-type=delivery-status;
	boundary="${boundary}"

--${boundary}
Content-Type: text/plain; charset=utf-8

${words}

--${boundary}
Content-Type: ${statusType}

${status}
--${boundary}
${original}
--${boundary}--
`);
}

/** Reports of addresses that do not exist, by the server that writes them. */
export const BOUNCES: Readonly<Record<string, ReportShape>> = {
  Postfix: ({ to, returnPath }) =>
    report(returnPath, {
      from: 'MAILER-DAEMON@mx.agency.test (Mail Delivery System)',
      subject: 'Undelivered Mail Returned to Sender',
      boundary: '4Fx1Zz0.1700000000/mx.agency.test',
      words: `This is the mail system at host mx.agency.test.\n\n<${to}>: host mx.client.test said: 550 5.1.1 User unknown`,
      status: `Reporting-MTA: dns; mx.agency.test
X-Postfix-Queue-ID: 4Fx1Zz0
X-Postfix-Sender: rfc822; ${returnPath}
Arrival-Date: Tue, 24 Nov 2026 08:59:58 +0100 (CET)

Final-Recipient: rfc822; ${to}
Original-Recipient: rfc822;${to}
Action: failed
Status: 5.1.1
Remote-MTA: dns; mx.client.test
Diagnostic-Code: smtp; 550 5.1.1 <${to}>: Recipient address rejected:
    User unknown in local recipient table
`,
      original:
        'Content-Description: Undelivered Message\nContent-Type: message/rfc822\n\nSubject: Nouvelle demande\n\nBonjour\n',
    }),
  Exim: ({ to, returnPath }) =>
    report(returnPath, {
      from: 'Mail Delivery System <Mailer-Daemon@mx.host.test>',
      subject: 'Mail delivery failed: returning message to sender',
      boundary: '1700000000-eximdsn-123456789',
      words: `This message was created automatically by mail delivery software.\n\n  ${to}\n    host mx.client.test\n    SMTP error from remote mail server after RCPT TO:\n    550 No such person at this address`,
      status: `Reporting-MTA: dns; mx.host.test

Action: failed
Final-Recipient: rfc822;${to}
Status: 5.0.0
Remote-MTA: dns; mx.client.test
Diagnostic-Code: smtp; 550 No such person at this address
`,
    }),
  Exchange: ({ to, returnPath }) =>
    report(returnPath, {
      from: 'Microsoft Outlook <MicrosoftExchange329e71ec@client.test>',
      subject: 'Undeliverable: Nouvelle demande',
      boundary: '_000_Exchange_',
      words: `Delivery has failed to these recipients or groups:\n\n${to}`,
      status: `Reporting-MTA: dns;AM0PR01MB0001.eurprd01.prod.outlook.test
Received-From-MTA: dns;mx.agency.test
Arrival-Date: Tue, 24 Nov 2026 08:59:58 +0000

Original-Recipient: rfc822;${to}
Final-Recipient: rfc822;${to}
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup
X-Display-Name: Desk
`,
    }),
  Gmail: ({ to, returnPath }) =>
    report(returnPath, {
      from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.test>',
      subject: 'Delivery Status Notification (Failure)',
      boundary: '000000000000a1b2c3',
      words: `** Address not found **\n\nYour message wasn't delivered to ${to}.`,
      status: `Reporting-MTA: dns; googlemail.test
Received-From-MTA: dns; ${returnPath}
Arrival-Date: Tue, 24 Nov 2026 00:59:58 -0800 (PST)
X-Original-Message-ID: <id@agency.test>

Final-Recipient: rfc822; ${to}
Action: failed
Status: 5.1.1
Remote-MTA: dns; gmail-smtp-in.l.google.test. (2001:db8::1b, the server for the
 domain client.test.)
Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist.
Last-Attempt-Date: Tue, 24 Nov 2026 00:59:59 -0800 (PST)
`,
    }),
  Sendmail: ({ to, returnPath }) =>
    report(returnPath, {
      from: 'Mail Delivery Subsystem <MAILER-DAEMON@old.host.test>',
      subject: 'Returned mail: see transcript for details',
      boundary: 'xAO8xx012345.1700000000/old.host.test',
      words: `   ----- The following addresses had permanent fatal errors -----\n<${to}>\n    (reason: 550 5.7.1 Blocked)`,
      status: `Reporting-MTA: dns; old.host.test
Received-From-MTA: DNS; mx.agency.test
Arrival-Date: Tue, 24 Nov 2026 09:00:00 +0100

Final-Recipient: RFC822; ${to}
Action: failed
Status: 5.7.1
Remote-MTA: DNS; mx.client.test
Diagnostic-Code: SMTP; 550 5.7.1 Blocked
Last-Attempt-Date: Tue, 24 Nov 2026 09:00:01 +0100
`,
    }),
  Zimbra: ({ to, returnPath }) =>
    report(returnPath, {
      from: 'MAILER-DAEMON@zimbra.client.test (Mail Delivery System)',
      subject: 'Undelivered Mail Returned to Sender',
      boundary: 'A1B2C3D4E5.1700000000/zimbra.client.test',
      words: `<${to}>: host zimbra.client.test[192.0.2.7] said: 552 5.2.2 Over quota`,
      status: `Reporting-MTA: dns; zimbra.client.test
X-Postfix-Queue-ID: A1B2C3D4E5
X-Postfix-Sender: rfc822; ${returnPath}

Final-Recipient: rfc822; ${to}
Action: failed
Status: 5.2.2
Remote-MTA: dns; zimbra.client.test
Diagnostic-Code: smtp; 552 5.2.2 Over quota
`,
    }),
  OVH: ({ to, returnPath }) =>
    report(returnPath, {
      from: 'MAILER-DAEMON@mo.mail-out.test (Mail Delivery System)',
      subject: 'Undelivered Mail Returned to Sender',
      words: `Nous n'avons pas pu remettre votre message à ${to}.`,
      // Upper-case names of fields, and no blank after the colon.
      status: `REPORTING-MTA:dns;mo.mail-out.test

FINAL-RECIPIENT:rfc822;<${to}>
ACTION:FAILED
STATUS:5.1.2 (bad destination system address)
DIAGNOSTIC-CODE:X-Postfix; Host or domain name not found
`,
    }),
  'an internationalized server': ({ to, returnPath }) =>
    report(returnPath, {
      from: 'postmaster@utf8.client.test',
      subject: 'Échec de la remise',
      words: 'Boîte inconnue.',
      statusType: 'message/global-delivery-status; charset=utf-8',
      status: `Reporting-MTA: dns; utf8.client.test

Final-Recipient: rfc822; ${to}
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 Boîte inconnue
`,
    }),
  'a server that gave up after five days': ({ to, returnPath }) =>
    report(returnPath, {
      from: 'MAILER-DAEMON@mx.agency.test (Mail Delivery System)',
      subject: 'Undelivered Mail Returned to Sender',
      words: `<${to}>: connect to mx.client.test[192.0.2.9]:25: Connection timed out`,
      status: `Reporting-MTA: dns; mx.agency.test

Final-Recipient: rfc822; ${to}
Action: failed
Status: 4.4.1
Diagnostic-Code: X-Postfix; connect to mx.client.test[192.0.2.9]:25: Connection timed out
`,
    }),
};

/** The report of a server that is still trying. */
export const DELAYED: ReportShape = ({ to, returnPath }) =>
  report(returnPath, {
    from: 'MAILER-DAEMON@mx.agency.test (Mail Delivery System)',
    subject: 'Delayed Mail (still being retried)',
    words: 'THIS IS A WARNING ONLY. YOU DO NOT NEED TO RESEND YOUR MESSAGE.',
    status: `Reporting-MTA: dns; mx.agency.test

Final-Recipient: rfc822; ${to}
Action: delayed
Status: 4.2.2
Diagnostic-Code: smtp; 452 4.2.2 Mailbox full
Will-Retry-Until: Sun, 29 Nov 2026 09:00:00 +0100
`,
  });

/** The report of a delivery, which was not requested. */
export const DELIVERED: ReportShape = ({ to, returnPath }) =>
  report(returnPath, {
    from: 'MAILER-DAEMON@mx.agency.test (Mail Delivery System)',
    subject: 'Successful Mail Delivery Report',
    words: 'Your message was delivered.',
    status: `Reporting-MTA: dns; mx.agency.test

Final-Recipient: rfc822; ${to}
Action: relayed
Status: 2.0.0
`,
  });

/** The report of qmail, which is written for people alone. */
export const QMAIL: ReportShape = ({ to, returnPath }) =>
  crlf(`${headers('MAILER-DAEMON@qmail.client.test', returnPath, 'failure notice')}
Hi. This is the qmail-send program at qmail.client.test.
I'm afraid I wasn't able to deliver your message to the following addresses.

<${to}>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Below this line is a copy of the message.
`);
