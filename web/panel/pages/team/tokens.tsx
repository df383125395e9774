import type { Team } from './queries.js';

/** The tab of a team's tokens. */
export const TokensTab = ({ team: { name } }: { team: Team }) => <p>{name}</p>;
