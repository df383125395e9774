import type { Team } from './queries.js';

/** The tab of a team's members. */
export const MembersTab = ({ team: { name } }: { team: Team }) => <p>{name}</p>;
