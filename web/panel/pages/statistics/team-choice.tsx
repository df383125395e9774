import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '../../language.js';
import { NoTeam } from '../../no-team.js';
import { EmptyState } from '../../parts/feedback/empty-state.js';
import { SearchSelect } from '../../parts/fields/search-select.js';
import { teamsQuery } from '../../parts/teams/teams.js';
import { useViewer } from '../../session.js';

/** Asks for the team that the figures are to be about, for a viewer who sees several. */
export function TeamChoice() {
  const t = useText();
  const navigate = useNavigate();
  const { staff, teams } = useViewer();
  const [search, setSearch] = useState('');
  const found = useQuery({ ...teamsQuery(search), enabled: staff });
  const known = staff ? (found.data?.edges ?? []).map(({ node }) => node) : teams.map(({ team }) => team);
  if (!staff && teams.length === 0) return <NoTeam />;
  return (
    <EmptyState title={t('report.chooseTeam')}>
      <SearchSelect
        label={t('team.label')}
        placeholder={t('choice.choose')}
        value={null}
        options={known.map(({ id, name }) => ({ value: id, text: name }))}
        {...(staff && { query: found, hasMore: found.data?.pageInfo.hasNextPage, onSearch: setSearch })}
        // The website of the address may be another team's.
        onChange={({ value }) =>
          void navigate({ to: '.', search: (given) => ({ ...given, team: value, site: undefined }) })
        }
      />
    </EmptyState>
  );
}
