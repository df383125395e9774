import { expect, test } from '@jest/globals';
import { submissionEmail } from '../../../src/notifications/submission-email/submission-email.js';
import { field, form } from '../forms/forms.js';

test.each(['', ' ', '\u202e', '\u2066\u2069', '\n\t'])(
  'a row whose label %j has no letter is named after its field',
  (label) => {
    const definition = form([field('campaign', { label })]);
    const { text, html } = submissionEmail(
      {
        id: '1',
        submissionId: '1',
        teamId: 1,
        websiteId: '1',
        formId: 1,
        values: { campaign: 'summer' },
        undeclared: {},
        emails: [],
        pageUrl: null,
        pageTitle: null,
        attribution: null,
        needsReview: false,
        createdAt: new Date('2026-11-24T06:30:00Z'),
        website: { name: 'Acme', host: 'www.acme.test', locale: 'en', timeZone: 'UTC' },
        recipients: ['desk@acme.test'],
        request: null,
      },
      { name: 'Contact', definition },
    );
    expect(text).toContain('\ncampaign: summer\n');
    expect(html).toContain('>campaign</div></th>');
  },
);
