import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { submissionEmailJobs } from '../../../src/notifications/submission-email/submission-email.job.js';

test('two jobs have one id only when they are about the same e-mails', () => {
  const [first = '', second = '', third = ''] = Array.from({ length: 3 }, () => randomUUID());
  const idOf = (ids: string[]) => submissionEmailJobs(ids).map(({ id }) => id);
  expect(idOf([first, second])).toEqual(idOf([first, second]));
  expect(idOf([first, second])).not.toEqual(idOf([first, third]));
});
