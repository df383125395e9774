import { expect, test } from '@jest/globals';
import { detailText } from '../../../src/audit/detail-text.js';

test.each([
  [{}, ''],
  [{ name: 'CRM', abilities: ['a:read', 'b:read'] }, 'name: CRM; abilities: a:read, b:read'],
  [{ from: 'member', to: 'admin' }, 'changed: member → admin'],
  [{ from: null, to: 12 }, 'changed: none → 12'],
  [{ changed: ['name', 'staff'], staff: false }, 'staff: false; changed: name, staff'],
  [{ changed: { active: false } }, 'active: false'],
  [
    { before: { planId: 1 }, changed: { planId: 2 }, plan: { from: 'Small', to: 'Large' } },
    'plan: Small → Large; planId: 1 → 2',
  ],
  [
    { before: { company: '', departments: ['a'] }, changed: { company: 'Acme', departments: [] } },
    'company: none → Acme; departments: a → none',
  ],
  [{ before: { url: 'a.test' }, changed: { url: 'a.test' } }, 'url: changed'],
])('a detail is written for a reader: %j', (detail, text) => {
  expect(detailText(detail)).toBe(text);
});
