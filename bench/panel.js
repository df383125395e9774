// The panel as a browser uses it.
import { visitor } from './load.js';
import { SEED_PASSWORD } from './seed.js';

let logins = 0;

/** A page of the inbox with what a list of submissions shows. */
const INBOX = `query Inbox($filter: SubmissionFilter, $after: String) {
  submissions(first: 50, filter: $filter, after: $after) {
    edges {
      cursor
      node {
        id createdAt state websiteId formId locale needsReview pageTitle
        fields { name label text }
        notification { state sentAt }
      }
    }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

/** Logs an account of the seed in, from an address of its own, since each has a limit. @returns its cookie. */
export async function logIn(url, email) {
  logins += 1;
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': visitor(logins) },
    body: JSON.stringify({
      query: 'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }',
      variables: { email, password: SEED_PASSWORD },
    }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
  if (!cookie) throw new Error(`${email}: ${await response.text()}`);
  return cookie;
}

/** The request for a page of the inbox. */
export const inboxRequest = (cookie, variables = {}) => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json', cookie },
  body: JSON.stringify({ query: INBOX, variables }),
});
