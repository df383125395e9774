import { graphql } from '../../../graphql.js';

/*
 * Changes of selected leads, a portion at a time: `next` is where the next portion begins.
 */

export const SET_STATE = graphql(`
  mutation setStateOfSelected(
    $selection: SubmissionSelection!
    $state: SubmissionState!
    $expectedState: SubmissionState
  ) {
    setStateOfSelected(selection: $selection, state: $state, expectedState: $expectedState) {
      matched
      next
      previous {
        state
        ids
      }
      skipped {
        state
        ids
      }
    }
  }
`);

export const SEND_AGAIN = graphql(`
  mutation sendSelectedAgain(
    $selection: SubmissionSelection!
    $includeSent: Boolean!
    $recipients: [String!]
  ) {
    sendSelectedAgain(selection: $selection, includeSent: $includeSent, recipients: $recipients) {
      matched
      next
      outcomes {
        outcome
        ids
        months
      }
    }
  }
`);
