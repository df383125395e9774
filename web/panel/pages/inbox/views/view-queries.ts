import { graphql, type ResultOf } from '../../../graphql.js';

export const VIEWS = graphql(`
  query savedViews {
    savedViews {
      id
      name
      filter
      lastDays
    }
  }
`);

export const SAVE_VIEW = graphql(`
  mutation saveView($name: String!, $filter: SubmissionFilter!, $lastDays: Int) {
    saveView(name: $name, filter: $filter, lastDays: $lastDays) {
      id
    }
  }
`);

/** A view that is saved. */
export type View = ResultOf<typeof VIEWS>['savedViews'][number];

export const VIEWS_KEY = ['savedViews'];
