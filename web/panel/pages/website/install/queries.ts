import { queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../../graphql.js';
import type { Language } from '../../../language.js';

const INSTALL = graphql(`
  query install($id: ID!) {
    installation {
      publicUrl
      captchaByDefault
    }
    website(id: $id) {
      locale
      formLinks {
        enabled
        cssSelector
        form {
          slug
          active
          privacyNoticeText
          privacyNoticeUrl
          fields {
            type
            label
            isRequired
            isMultiple
            showLabel
            helpText
            linkUrl
            visibility
            options {
              label
            }
          }
        }
      }
      captchaChain {
        type
      }
    }
  }
`);

/** What the pages of a website need of the gateway. */
export const installQuery = (id: string) =>
  queryOptions({
    queryKey: ['website', id, 'install'],
    queryFn: ({ signal }) => request(INSTALL, { id }, signal),
  });

const PROBES = graphql(`
  query probes($id: ID!, $language: PanelLanguage) {
    probes(websiteId: $id, first: 20) {
      id
      ok
      startedAt
      finishedAt
      steps {
        name
        ok
        ms
        explanation(language: $language)
        detail
      }
    }
  }
`);

export type Probe = ResultOf<typeof PROBES>['probes'][number];
export type ProbeStep = Probe['steps'][number];

/** The latest probes of a website, the newest first. */
export const probesQuery = (id: string, language: Language) =>
  queryOptions({
    queryKey: ['website', id, 'probes', language],
    queryFn: async ({ signal }) => (await request(PROBES, { id, language }, signal)).probes,
  });

export const RUN_PROBE = graphql(`
  mutation runProbe($id: ID!) {
    runProbe(websiteId: $id) {
      id
    }
  }
`);
