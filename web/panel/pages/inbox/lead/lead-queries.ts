import { queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../../graphql.js';

const LEAD = graphql(`
  query lead($id: ID!) {
    submission(id: $id) {
      id
      teamId
      createdAt
      locale
      state
      stateChangedAt
      stateChangedByName
      needsReview
      captchaGround
      captchaKey
      requestId
      tokenId
      spamVerdict {
        score
        threshold
        reasons {
          signal
          points
          en
          fr
        }
      }
      emails
      legalHold {
        since
        reason
      }
      undeclared
      pageUrl
      pageTitle
      pageLocale
      summary {
        title
        excerpt
      }
      website {
        id
        name
        timeZone
      }
      formVersion
      currentFormVersion
      isFormVersionKept
      form {
        id
        name
        version
      }
      fields {
        name
        label
        type
        value
        text
      }
      consents {
        name
        label
        locale
      }
      attribution {
        referrer
        utmSource
        utmMedium
        utmCampaign
        utmTerm
        utmContent
      }
      stateHistory {
        from
        to
        changedAt
        changedByName
        channel
      }
      legalHoldHistory {
        step
        changedAt
        changedByName
      }
      notes {
        id
        text
        createdAt
        authorId
        authorName
      }
      notification {
        state
        createdAt
        sentAt
        nextAttemptAt
        recipients {
          address
          rule {
            scope
            index
            when
          }
          state
          lastAnswer
          at
          durationMs
          nextAttemptAt
        }
        attempts {
          number
          startedAt
          finishedAt
          outcome
          smtpCode
          detail
          recipients
        }
      }
      requestedEmails {
        id
        kind
        note
        requestedByName
        createdAt
        state
        recipients {
          address
          state
          lastAnswer
          at
          durationMs
          nextAttemptAt
        }
        attempts {
          number
          startedAt
          finishedAt
          outcome
          smtpCode
          detail
          recipients
        }
      }
      toldWebhooks {
        id
        type
        host
        state
        createdAt
        status
        attemptedAt
      }
    }
  }
`);

/** A lead with all that is known of it. */
export type Lead = ResultOf<typeof LEAD>['submission'];

export const SET_LEGAL_HOLD = graphql(`
  mutation setLegalHold($submissionId: ID!, $reason: String!) {
    setLegalHold(submissionId: $submissionId, reason: $reason, unlessHeld: true)
  }
`);

/** How often a lead is read again while its e-mail is on its way. */
const PENDING_POLL_MS = 3_000;

/** Reads a lead. */
export const leadQuery = (id: string) =>
  queryOptions({
    queryKey: ['lead', id],
    queryFn: async ({ signal }) => (await request(LEAD, { id }, signal)).submission,
    refetchInterval: ({ state: { data } }) =>
      [data?.notification, ...(data?.requestedEmails ?? [])].some((email) => email?.state === 'pending')
        ? PENDING_POLL_MS
        : false,
  });

const TOKEN_NAMES = graphql(`
  query tokenNames($teamId: ID!) {
    tokens(teamId: $teamId) {
      id
      name
    }
  }
`);

/** Reads the names of a team's integration tokens, for who manages them. */
export const tokenNamesQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'tokenNames'],
    queryFn: async ({ signal }) => (await request(TOKEN_NAMES, { teamId }, signal)).tokens,
  });
