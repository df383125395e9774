import type { Team } from './queries.js';

/** The tab of a team's usage. */
export const UsageTab = ({ team: { name } }: { team: Team }) => <p>{name}</p>;
