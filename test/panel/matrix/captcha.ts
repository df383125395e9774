import type { Services } from '../../../src/services.js';
import type { MatrixIds, Rows } from './row.js';

const READERS = ['staff', 'owner', 'admin', 'member'] as const;
const MANAGERS = ['staff', 'owner', 'admin'] as const;

const links = [{ key: 'altcha:own' }];

async function addLink({ db }: Services, { websiteId }: MatrixIds) {
  const link = { websiteId, type: 'altcha', identifier: 'own' } as const;
  await db.orm.captchaStep.upsert({
    where: { websiteId_type_identifier: link },
    create: { ...link, position: 0 },
    update: {},
  });
  return {};
}

async function addIncident({ db }: Services, { websiteId }: MatrixIds) {
  const key = { websiteId, stepKey: 'turnstile:main', reason: 'timeout', minute: new Date('2026-01-01') };
  await db.orm.incident.upsert({
    where: { websiteId_stepKey_reason_minute: key },
    create: { ...key, requestId: 'r' },
    update: {},
  });
  return {};
}

const rows: Rows = {
  'Mutation.saveCaptchaChain': {
    query:
      'mutation ($websiteId: ID!, $links: [CaptchaLinkInput!]!) { saveCaptchaChain(websiteId: $websiteId, links: $links) { key } }',
    variables: ({ websiteId }) => ({ websiteId, links }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.checkCaptchaLink': {
    query: 'mutation ($websiteId: ID!) { checkCaptchaLink(websiteId: $websiteId, key: "altcha:own") }',
    prepare: addLink,
    variables: ({ websiteId }) => ({ websiteId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.checkCaptchaCredentials': {
    query: 'mutation ($teamId: ID) { checkCaptchaCredentials(teamId: $teamId) { total } }',
    variables: ({ teamId }) => ({ teamId }),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Query.captchaFigures': {
    query: `query ($teamId: ID, $websiteId: ID) {
      captchaFigures(teamId: $teamId, websiteId: $websiteId, from: "2026-01-01", to: "2026-01-02") {
        perDay { day accepted } perProvider { type accepted } perWebsite { website { name } refused } refusals { type reason count }
      }
    }`,
    variables: ({ teamId, websiteId }) => ({ teamId, websiteId }),
    allowed: READERS,
    scope: 'team',
  },
  'Query.captchaProviders': {
    query: 'query ($websiteId: ID) { captchaProviders(websiteId: $websiteId) { type websites lastReason } }',
    variables: ({ websiteId }) => ({ websiteId }),
    allowed: READERS,
    scope: 'team',
  },
  'Query.captchaTroubles': {
    query: 'query ($websiteId: ID) { captchaTroubles(websiteId: $websiteId) { type reason since } }',
    variables: ({ websiteId }) => ({ websiteId }),
    allowed: READERS,
    scope: 'team',
  },
  'Query.incidents': {
    query:
      'query ($websiteId: ID!) { incidents(websiteId: $websiteId) { edges { node { reason website { name } } } } }',
    prepare: addIncident,
    variables: ({ websiteId }) => ({ websiteId }),
    allowed: READERS,
    scope: 'team',
  },
};

export default rows;
