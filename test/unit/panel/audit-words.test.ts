import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { auditDetail } from '../../../web/panel/parts/audit/audit-detail.js';
import { ACTIONS, auditThing } from '../../../web/panel/parts/audit/audit-words.js';

/** What a recorded template such as `form.${outcome}` ends in. */
const OUTCOMES = ['created', 'updated'];

const lines = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith('generated'))
  .flatMap((name) => readFileSync(join('src', name), 'utf8').split('\n'))
  .filter((line) => /\baction\b|\brecord\(|_CHANGED =/.test(line));

/** Every action that the sources of the gateway record. */
const recorded = lines.flatMap((line) => [
  ...[...line.matchAll(/'([a-z_]+\.(?!csv|ndjson)[a-z_]+)'/g)].map(([, action]) => action!),
  ...[...line.matchAll(/`([a-z_]+)\.\$\{/g)].flatMap(([, noun]) => OUTCOMES.map((end) => `${noun}.${end}`)),
]);

test('every action of the audit trail has words', () => {
  expect(recorded.length).toBeGreaterThan(40);
  expect([...new Set(recorded)].filter((action) => !ACTIONS.includes(action))).toEqual([]);
});

/** Stands for the catalogue: the words of a text are its name, with what is set into it. */
const t = (id: string, values: Record<string, string | number> = {}) =>
  id === 'labelled' ? `${values.label}: ${values.value}` : [id, ...Object.values(values)].join(' ');

test('a detail is the name, the address and the change, and nothing that is not a text', () => {
  expect(auditDetail({ email: 'a@b.test', from: 'member', to: 'admin', tokenIds: [1] }, t)).toBe(
    'a@b.test · audit.value.member → audit.value.admin',
  );
  expect(auditDetail({ changed: ['name', 'later'], from: null, to: 'owner' }, t)).toBe(
    'audit.value.owner · audit.property.name · later',
  );
  expect(auditDetail({}, t)).toBe('');
  expect(auditDetail({ spam: true }, t)).toBe('state.spam');
  expect(auditDetail({ name: 'CRM', email: 'a@b.test' }, t, 'CRM')).toBe('a@b.test');
});

test('a plan is told with its values, and a changed one with those before', () => {
  const values = {
    name: 'Small',
    notificationsPerMonth: null,
    submissionsPerMinute: 5,
    submissionsPerHour: 9,
  };
  expect(auditDetail({ code: 'small', ...values }, t)).toBe(
    'plans.name: Small · plans.perMonth: plans.unlimited · plans.perMinute: 5 · plans.perHour: 9',
  );
  const change = { before: { notificationsPerMonth: 100 }, changed: { notificationsPerMonth: 500 } };
  expect(auditDetail({ code: 'small', ...change }, t)).toBe('plans.perMonth: 100 → 500');
  expect(auditDetail({ code: 'small', changed: { name: 'Recorded by an older version' } }, t)).toBe(
    'plans.name: Recorded by an older version',
  );
});

test('a team is told to be suspended or resumed, and by name the plan that it had and has', () => {
  expect(auditDetail({ before: { active: true }, changed: { active: false } }, t)).toBe(
    'audit.value.suspended',
  );
  expect(auditDetail({ before: { active: false }, changed: { active: true } }, t)).toBe(
    'audit.value.resumed',
  );
  const plan = { from: 'Small', to: 'Large' };
  expect(auditDetail({ before: { planId: 1 }, changed: { planId: 2 }, plan }, t)).toBe(
    'audit.property.planId: Small → Large',
  );
  // As older versions have recorded it.
  expect(auditDetail({ changed: { planId: 2, retentionMonths: null } }, t)).toBe(
    'audit.property.planId · audit.property.retentionMonths: audit.value.forEver',
  );
});

test('a website is told from what to what, in words', () => {
  const change = {
    before: { company: '', locale: 'fr', disabled: false, departments: ['a', 'b'], name: 'active' },
    changed: { company: 'Acme', locale: 'de', disabled: true, departments: [], name: 'off' },
  };
  expect(auditDetail(change, t, null, (code) => `language ${code}`)).toBe(
    [
      'audit.property.company: audit.value.none → Acme',
      'audit.property.locale: language fr → language de',
      'audit.property.disabled: audit.value.no → audit.value.yes',
      'audit.property.departments: a, b → audit.value.none',
      'audit.property.name: active → off',
    ].join(' · '),
  );
  // As older versions have recorded it.
  expect(auditDetail({ changed: ['company', 'locale'] }, t)).toBe(
    'audit.property.company · audit.property.locale',
  );
});

test('a webhook is told with its events and websites, and its address where the host differs', () => {
  const change = {
    before: { url: 'a.test', events: ['submission.created'], websiteIds: [], state: 'active' },
    changed: { url: 'b.test', events: ['form.changed', 'later'], websiteIds: ['www', '…'], state: 'paused' },
  };
  expect(auditDetail({ host: 'b.test', events: ['form.changed'], ...change }, t)).toBe(
    [
      'audit.property.url: a.test → b.test',
      'audit.property.events: audit.event.submissionCreated → audit.event.formChanged, later',
      'audit.property.websiteIds: audit.value.all → www, …',
      'audit.property.state: audit.value.enabled → audit.value.disabled',
    ].join(' · '),
  );
  expect(auditDetail({ before: { url: 'a.test' }, changed: { url: 'a.test' } }, t)).toBe(
    'audit.property.url',
  );
});

test('an account is told to have become staff, or to be no longer', () => {
  expect(auditDetail({ staff: true }, t)).toBe('audit.value.isStaff');
  expect(auditDetail({ staff: false }, t)).toBe('');
  expect(auditDetail({ changed: ['name', 'staff'], staff: true }, t)).toBe(
    'audit.property.name · audit.value.becameStaff',
  );
  expect(auditDetail({ changed: ['staff'], staff: false }, t)).toBe('audit.value.noLongerStaff');
});

test('what is set aside is told with its day and its reason', () => {
  const detail = { kind: 'SILENT_WEBSITE', until: '2026-12-01T00:00:00.000Z', reason: 'Shop is closed' };
  expect(auditDetail(detail, t)).toBe(
    `health.kind.SILENT_WEBSITE · audit.value.expectedUntil ${Date.UTC(2026, 11, 1)} · Shop is closed`,
  );
  expect(auditDetail({ kind: 'SILENT_WEBSITE' }, t)).toBe('health.kind.SILENT_WEBSITE');
});

test('periods, filters and answers are told with their values', () => {
  expect(auditDetail({ from: null, to: 12 }, t)).toBe('audit.value.asTeam → 12');
  expect(auditDetail({ filter: 'mark', keptDays: null }, t)).toBe(
    'audit.property.filter: audit.value.spamMark · audit.property.keptDays: audit.value.never',
  );
  expect(auditDetail({ required: true }, t)).toBe('audit.value.yes');
});

test('a thing has its name, or the end of its id', () => {
  const subjectId = '01a210c3-f9e4-73b8-8a2a-4db760c0347e';
  const thing = { subjectType: 'website', subjectId };
  expect(auditThing({ ...thing, subjectName: 'www.acme.test' }, t)).toBe('audit.thing.website www.acme.test');
  expect(auditThing({ ...thing, subjectName: null }, t)).toBe('audit.thing.website …60c0347e');
  expect(auditThing({ subjectType: 'plan', subjectId: '12', subjectName: null }, t)).toBe(
    'audit.thing.plan 12',
  );
});
