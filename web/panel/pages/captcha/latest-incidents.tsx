import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useText } from '../../language.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Incidents } from './incidents.js';
import { type IncidentChoice, incidentsQuery } from './queries.js';

const route = getRouteApi('/shell/captcha');

/** As many as the console shows; the page of incidents has them all. */
const MAX_SHOWN = 5;

/** The latest incidents of some days, and the way to all of them. */
export function LatestIncidents({ choice }: { choice: IncidentChoice }) {
  const t = useText();
  const search = route.useSearch();
  const incidents = useInfiniteQuery(incidentsQuery(choice));
  return (
    <Loaded query={incidents}>
      {({ pages: [first] }) => (
        <>
          <Incidents incidents={first!.edges.map(({ node }) => node)} most={MAX_SHOWN} />
          {first!.edges.length > 0 && (
            <p>
              <Link to="/captcha/incidents" search={search}>
                {t('console.allIncidents')}
              </Link>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}
