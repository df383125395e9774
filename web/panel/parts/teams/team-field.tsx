import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useText } from '../../language.js';
import { useViewer } from '../../session.js';
import { SearchSelect } from '../fields/search-select.js';
import { teamQuery, teamsQuery } from './teams.js';

type Team = Readonly<{ id: string; name: string }>;

/**
 * The team of a new website or form: that of the address, else the only one there is, else a choice. It shows wherever
 * the viewer is of another team as well, lest something comes into a team by mistake.
 */
export function useTeam(inAddress: string | undefined) {
  const { staff, teams } = useViewer();
  const managed = teams.filter(({ role }) => role !== 'member').map(({ team }) => team);
  const { data: first } = useQuery({ ...teamsQuery(''), enabled: staff });
  const [chosen, setChosen] = useState<Team | null>(null);
  // The first teams need not have that of the address among them.
  const { data: addressed } = useQuery({
    ...teamQuery(inAddress!),
    enabled: staff && inAddress !== undefined,
  });
  const known = staff ? (first?.edges ?? []).map(({ node }) => node) : managed;
  const named = staff ? addressed : managed.find(({ id }) => id === inAddress);
  const isElsewhere = !staff && inAddress !== undefined;
  const only = known.length === 1 && !isElsewhere ? known[0]! : null;
  return {
    team: chosen ?? named ?? only,
    managed,
    hasChoice: staff || teams.length > 1,
    setTeam: setChosen,
  };
}

/** Asks for the team, where there is more than one. */
export function TeamField({ team, managed, hasChoice, setTeam }: ReturnType<typeof useTeam>) {
  const t = useText();
  const { staff } = useViewer();
  const [search, setSearch] = useState('');
  const found = useQuery({ ...teamsQuery(search), enabled: staff });
  if (!hasChoice) return null;
  const options = (staff ? (found.data?.edges ?? []).map(({ node }) => node) : managed).map(
    ({ id, name }) => ({ value: id, text: name }),
  );
  return (
    <SearchSelect
      label={t('team.label')}
      placeholder={t('choice.choose')}
      value={team?.id ?? null}
      valueText={team?.name}
      options={options}
      {...(staff && { query: found, hasMore: found.data?.pageInfo.hasNextPage, onSearch: setSearch })}
      onChange={({ value, text }) => setTeam({ id: value, name: text })}
    />
  );
}
