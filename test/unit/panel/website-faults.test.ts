import { expect, test } from '@jest/globals';
import { draftFaults } from '../../../web/panel/website-settings/draft.js';

const faultsOf = (fields: Record<string, string[]>) => draftFaults({ fields }, (rule) => rule);

test('a refused setting of a website is told, and a value within one too', () => {
  expect(faultsOf({ 'input.host': ['Taken.'] }).host).toBe('website.rule.host');
  const faults = faultsOf({ 'input.departments.1': ['Unknown.'] });
  expect(faults.departments).toBe('website.rule.departments');
  expect(faults.name).toBeUndefined();
});
