import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { commandEnv, startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { CLI, runFormgate } from '../support/formgate.js';
import { recordedLeads } from '../support/leads.js';
import type { SinkBehaviour } from '../support/smtp.js';
import { createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

const HOUR_MS = 3_600_000;

/** Refuses the mailboxes of acme for good, and those of busy for now. */
const smtp: SinkBehaviour = {
  rcpt: (address) =>
    address.endsWith('acme.test') ? '550 5.1.1 No such mailbox' : '450 4.2.1 Mailbox\u001b[2J busy',
};

let app: TestApp;
let env: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp({ worker: true, smtp });
  env = commandEnv(app);
  await provision(app.services, [
    team('acme', { websites: [website('www.acme.test'), website('shop.acme.test')] }),
    team('busy', { websites: [website('www.busy.test', { email: 'desk@busy.test' })] }),
  ]);
});
afterAll(() => app.close());

const formgate = (...args: string[]) => runFormgate(args, env).finished;

const auditOf = async (action: string) =>
  app.services.db.orm.auditEvent.findMany({ where: { action }, orderBy: { id: 'asc' } });

test.each([
  ['user reset', 'without an address', ['user', 'reset']],
  ['user reset', 'with two addresses', ['user', 'reset', 'a@b.test', 'c@d.test']],
  ['team suspend', 'without a team', ['team', 'suspend']],
  ['team resume', 'with an option of another command', ['team', 'resume', 'acme', '--json']],
  ['rekey', 'with an argument', ['rekey', 'now']],
  ['retention', 'with an argument', ['retention', 'now']],
  ['notifications list', 'with an unknown state', ['notifications', 'list', '--state', 'lost']],
  ['notifications list', 'with a limit of 0', ['notifications', 'list', '--limit', '0']],
  ['notifications list', 'with a limit that is no number', ['notifications', 'list', '--limit', 'all']],
  ['notifications list', 'since no period', ['notifications', 'list', '--since', 'yesterday']],
  ['notifications list', 'without the value of an option', ['notifications', 'list', '--team']],
  ['notifications resend', 'without anything', ['notifications', 'resend']],
  ['notifications resend', 'with a filter but no state', ['notifications', 'resend', '--team', 'acme']],
  ['notifications resend', 'of what was sent', ['notifications', 'resend', '--state', 'sent', '--yes']],
  [
    ...['notifications resend', 'of what is withheld'],
    ['notifications', 'resend', '--state', 'withheld', '--yes'],
  ],
  ['notifications resend', 'of an id that is none', ['notifications', 'resend', '--lead', '7']],
  [
    'notifications resend',
    'of a filter, with nobody to ask',
    ['notifications', 'resend', '--state', 'failed'],
  ],
  ['probe', 'of an address', ['probe', 'https://www.acme.test/']],
  [
    'notifications list',
    'of a host with the usual port',
    ['notifications', 'list', '--website', 'www.acme.test:443'],
  ],
  [
    'notifications resend',
    'of leads and a filter',
    ['notifications', 'resend', '--lead', '018f2b5e-7c1a-7000-8000-000000000001', '--team', 'acme'],
  ],
])('%s %s prints one line and exits with 2', async (_command, _case, args) => {
  const { code, stdout, stderr } = await formgate(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^.+\n$/);
});

test.each([
  [['user', 'reset', 'nobody@acme.test'], 'There is no account nobody@acme.test.\n'],
  [['team', 'suspend', 'nope'], 'There is no team nope.\n'],
  [['notifications', 'list', '--team', 'nope'], 'There is no team nope.\n'],
  [['notifications', 'list', '--website', 'nope.test'], 'There is no website nope.test.\n'],
  [
    ['notifications', 'list', '--team', 'busy', '--website', 'www.acme.test'],
    'There is no website www.acme.test.\n',
  ],
  [
    ['notifications', 'resend', '--lead', '018f2b5e-7c1a-7000-8000-00000000000a'],
    'There is no lead 018f2b5e-7c1a-7000-8000-00000000000a.\n',
  ],
])('%j prints what there is not and exits with 1', async (args, stderr) => {
  expect(await formgate(...args)).toEqual({ code: 1, stdout: '', stderr });
});

test('the help names every option of the commands', async () => {
  const table = readFileSync('src/cli/command-table.ts', 'utf8');
  const options = [...table.matchAll(/'?([\w-]+)'?: \{ type: '(string|boolean)'/g)].map(([, name]) => name);
  expect(options).toContain('second-factor');
  const { stdout } = await formgate('--help');
  expect(options.filter((name) => !stdout.includes(`--${name}`))).toEqual([]);
});

test.each([[['--help']], [['notifications', 'list', '--help']], [['team', 'suspend', '-h']]])(
  '%j lists the commands for administration',
  async (args) => {
    const { code, stdout } = await formgate(...args);
    expect(code).toBe(0);
    for (const command of ['user reset', 'team suspend', 'team resume', 'notifications list', 'rekey'])
      expect(stdout).toContain(`\n  ${command}`);
  },
);

test('team suspend stops forms and tokens of the team until team resume', async () => {
  const site = await websiteId(app.services, 'shop.acme.test');
  const token = await createToken(app.services, 'acme', 'owner@acme.test');
  const visitor = createVisitor({ url: app.url, websiteId: site, origin: 'https://shop.acme.test' });
  const answers = async () => [
    (await visitor.call('GET', 'signature')).status,
    (await fetch(`${app.url}/api/websites`, { headers: { authorization: `Bearer ${token}` } })).status,
  ];
  expect(await answers()).toEqual([200, 200]);

  const suspended = await formgate('team', 'suspend', 'acme');
  expect(suspended).toEqual({
    code: 0,
    stdout:
      'Team acme is suspended: the forms of its websites stop and its tokens are refused, ' +
      'until formgate team resume acme.\n',
    stderr: '',
  });
  await eventually(async () => (await answers()).every((status) => status === 403));
  expect(await formgate('team', 'suspend', 'acme')).toEqual(suspended);

  expect(await formgate('team', 'resume', 'acme')).toEqual({
    code: 0,
    stdout: 'Team acme is active: the forms of its websites and its tokens work.\n',
    stderr: '',
  });
  await eventually(async () => (await answers()).every((status) => status === 200));
  expect(await auditOf('team.updated')).toMatchObject([
    { channel: 'command_line', actorId: null, detail: { changed: { active: false } } },
    { channel: 'command_line', actorId: null, detail: { changed: { active: true } } },
  ]);
});

describe('notifications', () => {
  let acme: { old: string; www: string; shop: string };
  let busy: string;

  const stateOf = async (submissionId: string) =>
    (await app.services.db.orm.notification.findUniqueOrThrow({ where: { submissionId } })).state;

  beforeAll(async () => {
    const [www, shop, other] = await Promise.all(
      ['www.acme.test', 'shop.acme.test', 'www.busy.test'].map((host) => websiteId(app.services, host)),
    );
    const threeHoursAgo = new Date(Date.now() - 3.5 * HOUR_MS);
    const [old] = await recordedLeads(app.services, www!, 1, threeHoursAgo);
    const leads = [];
    for (const site of [www, shop, other]) leads.push(...(await recordedLeads(app.services, site!, 1)));
    acme = { old: old!, www: leads[0]!, shop: leads[1]! };
    busy = leads[2]!;
    for (const id of Object.values(acme)) await eventually(async () => (await stateOf(id)) === 'failed');
    await eventually(() =>
      app.services.db.orm.notificationAttempt.count({ where: { submissionId: busy, outcome: 'deferred' } }),
    );
  });

  const listed = async (...args: string[]) => {
    const { code, stdout, stderr } = await formgate('notifications', 'list', '--json', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return (JSON.parse(stdout) as { leadId: string }[]).map(({ leadId }) => leadId);
  };

  test('list prints what waits or failed, the newest first, with the last words of the mail server', async () => {
    const { code, stdout, stderr } = await formgate('notifications', 'list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/).slice(1))).toEqual([
      ['state', 'team', 'website', 'lead', 'last answer'],
      ['pending', 'busy', 'www.busy.test', busy, expect.stringMatching(/^450 4\.2\.1 Mailbox \[2J busy/)],
      ['failed', 'acme', 'shop.acme.test', acme.shop, expect.stringMatching(/^550 5\.1\.1 No such mailbox/)],
      ['failed', 'acme', 'www.acme.test', acme.www, expect.stringMatching(/^550 5\.1\.1 No such mailbox/)],
      ['failed', 'acme', 'www.acme.test', acme.old, expect.stringMatching(/^550 5\.1\.1 No such mailbox/)],
    ]);
    expect(lines.at(-1)).toMatch(/^3h /);
  });

  test('list narrows by state, team, website, age and number', async () => {
    expect(await listed('--state', 'pending')).toEqual([busy]);
    expect(await listed('--state', 'sent')).toEqual([]);
    expect(await listed('--team', 'acme')).toEqual([acme.shop, acme.www, acme.old]);
    expect(await listed('--website', 'WWW.acme.test')).toEqual([acme.www, acme.old]);
    const site = await websiteId(app.services, 'shop.acme.test');
    expect(await listed('--website', site, '--team', 'acme')).toEqual([acme.shop]);
    expect(await listed('--since', '3h')).toEqual([busy, acme.shop, acme.www]);
    expect(await listed('--since', '1d', '--state', 'failed', '--limit', '2')).toEqual([acme.shop, acme.www]);
    expect(await formgate('notifications', 'list', '--team', 'busy', '--state', 'failed')).toEqual({
      code: 0,
      stdout: 'There are none.\n',
      stderr: '',
    });
  });

  test('list --json gives each with its last attempt', async () => {
    const { stdout } = await formgate('notifications', 'list', '--json', '--website', 'shop.acme.test');
    const site = await websiteId(app.services, 'shop.acme.test');
    expect(JSON.parse(stdout)).toEqual([
      {
        leadId: acme.shop,
        state: 'failed',
        team: 'acme',
        websiteId: site,
        host: 'shop.acme.test',
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        nextAttemptAt: null,
        lastAttempt: {
          outcome: 'failed',
          smtpCode: 550,
          detail: expect.stringContaining('No such mailbox'),
          finishedAt: expect.stringMatching(/^\d{4}-/),
        },
      },
    ]);
  });

  const hasTerminals = /util-linux/.test(spawnSync('script', ['--version']).stdout?.toString() ?? '');

  (hasTerminals ? test : test.skip)(
    'resend of a filter asks on a terminal, and sends nothing unless told yes',
    async () => {
      const words = [process.execPath, CLI, 'notifications', 'resend', '--state', 'failed', '--since', '3h'];
      for (const answer of ['n\n', '\n', '\u0004']) {
        const child = spawn('script', ['-qec', words.join(' '), '/dev/null'], {
          env: { PATH: process.env.PATH ?? '', ...env },
        });
        const printed = text(child.stdout);
        child.stdout.once('data', () => child.stdin.write(answer));
        const [code] = await once(child, 'close');
        expect({ code, printed: await printed }).toEqual({
          code: 0,
          printed: expect.stringMatching(/Send 2 e-mails again\? \[y\/N\] .*Nothing sent\.\r\n$/s),
        });
      }
      expect(await stateOf(acme.www)).toBe('failed');
    },
  );

  test('resend sends again what its leads or its filter name, and counts the outcomes', async () => {
    smtp.rcpt = (address) => (address.endsWith('busy.test') ? '450 4.2.1 Mailbox busy' : null);
    const byLead = await formgate('notifications', 'resend', '--lead', acme.shop.toUpperCase(), busy);
    expect(byLead).toEqual({
      code: 0,
      stdout: '1 handed over\n1 with nothing to send: sent already, still to be sent, or spam\n',
      stderr: '',
    });
    await eventually(async () => (await stateOf(acme.shop)) === 'sent');
    expect([await stateOf(acme.www), await stateOf(busy)]).toEqual(['failed', 'pending']);

    const filter = ['--state', 'failed', '--team', 'acme', '--since', '2d', '--yes'];
    const byFilter = await formgate('notifications', 'resend', ...filter);
    expect(byFilter.stdout).toMatch(/^2 handed over\n0 with nothing to send/);
    for (const id of [acme.www, acme.old]) await eventually(async () => (await stateOf(id)) === 'sent');
    expect((await formgate('notifications', 'resend', ...filter)).stdout).toMatch(/^0 handed over\n/);
    const audited = await auditOf('notification.asked_again');
    expect(audited.every(({ channel }) => channel === 'command_line')).toBe(true);
    expect(audited.map(({ subjectId }) => subjectId).sort()).toEqual(Object.values(acme).sort());
  });

  test('resend of a filter leaves out spam and archived leads, unless they are named', async () => {
    const site = await websiteId(app.services, 'www.acme.test');
    const [lead, spam, archived] = await recordedLeads(app.services, site, 3);
    const { notification, submission } = app.services.db.orm;
    await notification.updateMany({
      where: { submissionId: { in: [lead!, spam!, archived!] } },
      data: { state: 'skipped_quota' },
    });
    await submission.update({ where: { id: spam! }, data: { state: 'spam' } });
    await submission.update({ where: { id: archived! }, data: { state: 'archived' } });
    const { stdout } = await formgate('notifications', 'resend', '--state', 'skipped_quota', '--yes');
    expect(stdout).toMatch(/^1 handed over\n/);
    await eventually(async () => (await stateOf(lead!)) === 'sent');
    expect([await stateOf(spam!), await stateOf(archived!)]).toEqual(['skipped_quota', 'skipped_quota']);
    const named = await formgate('notifications', 'resend', '--lead', archived!);
    expect(named.stdout).toMatch(/^1 handed over\n/);
    await submission.deleteMany({ where: { id: { in: [spam!, archived!] } } });
  });

  test('resend of a filter sends more than one portion of them', async () => {
    const site = await websiteId(app.services, 'www.acme.test');
    const ids = await recordedLeads(app.services, site, 1_100);
    await app.services.db.orm.notification.updateMany({
      where: { submissionId: { in: ids } },
      data: { state: 'skipped_quota' },
    });
    const { stdout } = await formgate('notifications', 'resend', '--state', 'skipped_quota', '--yes');
    expect(stdout).toMatch(/^\d+ handed over\n/);
    expect(await app.services.db.orm.notification.count({ where: { state: 'skipped_quota' } })).toBe(0);
  });
});
