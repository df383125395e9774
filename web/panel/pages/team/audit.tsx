import type { Team } from './queries.js';

/** The tab of a team's audit. */
export const AuditTab = ({ team: { name } }: { team: Team }) => <p>{name}</p>;
