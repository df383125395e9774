import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../../graphql.js';

const WEBHOOKS = graphql(`
  query teamWebhooks($id: ID!) {
    webhooks(teamId: $id) {
      id
      url
      description
      events
      websiteIds
      formIds
      websites {
        id
        name
      }
      forms {
        id
        name
      }
      state
      failingSince
      formerSecretsUntil
    }
  }
`);

export type Webhook = ResultOf<typeof WEBHOOKS>['webhooks'][number];
export type WebhookEvent = Webhook['events'][number];

export const webhooksQuery = (id: string) =>
  queryOptions({
    queryKey: ['team', id, 'webhooks'],
    queryFn: async ({ signal }) => (await request(WEBHOOKS, { id }, signal)).webhooks,
  });

const WEBSITES = graphql(`
  query webhookWebsites($teamId: ID!, $search: String) {
    websites(teamId: $teamId, search: $search, first: 50) {
      edges {
        node {
          id
          name
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

/** The websites of a team that a search finds. */
export const websitesQuery = (teamId: string, search: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'webhook-websites', search],
    queryFn: async ({ signal }) =>
      (await request(WEBSITES, { teamId, search: search || null }, signal)).websites,
    placeholderData: keepPreviousData,
  });

const FORMS = graphql(`
  query webhookForms($teamId: ID!, $search: String) {
    forms(teamId: $teamId, search: $search, first: 50) {
      edges {
        node {
          id
          name
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

/** The forms of a team that a search finds. */
export const formsQuery = (teamId: string, search: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'webhook-forms', search],
    queryFn: async ({ signal }) => (await request(FORMS, { teamId, search: search || null }, signal)).forms,
    placeholderData: keepPreviousData,
  });

const DELIVERIES = graphql(`
  query webhookDeliveries($id: ID!, $after: String) {
    webhookDeliveries(webhookId: $id, first: 20, after: $after) {
      edges {
        node {
          id
          type
          submissionId
          state
          createdAt
          nextAttemptAt
          body
          attempts {
            number
            status
            fault
            answer
            startedAt
            timestamp
            durationMs
          }
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`);

type DeliveryPage = ResultOf<typeof DELIVERIES>['webhookDeliveries'];
export type Delivery = DeliveryPage['edges'][number]['node'];

export const deliveriesKey = (id: string) => ['webhook', id, 'deliveries'] as const;

/** Reads a page of the deliveries of a webhook, the newest first. */
export const readDeliveries = async (
  id: string,
  after: string | null,
  signal: AbortSignal,
): Promise<DeliveryPage> => (await request(DELIVERIES, { id, after }, signal)).webhookDeliveries;

export const CREATE_WEBHOOK = graphql(`
  mutation createWebhook($teamId: ID!, $input: WebhookInput!) {
    createWebhook(teamId: $teamId, input: $input) {
      secret
    }
  }
`);

export const UPDATE_WEBHOOK = graphql(`
  mutation updateWebhook($id: ID!, $input: WebhookInput!) {
    updateWebhook(id: $id, input: $input) {
      id
    }
  }
`);

export const DELETE_WEBHOOK = graphql(`
  mutation deleteWebhook($id: ID!) {
    deleteWebhook(id: $id)
  }
`);

export const ROTATE_SECRET = graphql(`
  mutation rotateWebhookSecret($id: ID!) {
    rotateWebhookSecret(id: $id) {
      secret
    }
  }
`);

export const SEND_TEST = graphql(`
  mutation sendTestWebhook($id: ID!) {
    sendTestWebhook(id: $id) {
      id
    }
  }
`);

export const REDELIVER = graphql(`
  mutation redeliver($id: ID!, $deliveryId: ID!) {
    redeliver(webhookId: $id, deliveryIds: [$deliveryId])
  }
`);

export const REDELIVER_SINCE = graphql(`
  mutation redeliverSince($id: ID!, $since: DateTimeISO!) {
    redeliver(webhookId: $id, since: $since)
  }
`);
