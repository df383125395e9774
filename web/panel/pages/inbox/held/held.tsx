import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import { memo, Suspense } from 'react';
import { countOf, isAny } from '../filters/folders.js';
import { countsQuery } from '../queries.js';
import { filterOf } from '../search.js';

const HeldBanner = lazyRouteComponent(() => import('./held-banner.js'), 'HeldBanner');

type Props = {
  /** The team that the inbox is narrowed to. */
  team: string | undefined;
  /** Whether the list shows all that is held back. */
  isListed: boolean;
};

/** Tells what the quota holds back, whatever the list is narrowed to beside the team; nothing while that is nothing. */
export const Held = memo(function Held({ team, isListed }: Props) {
  const { data: counts } = useQuery(countsQuery(filterOf({ team })));
  const held = counts && countOf('held', counts);
  if (!held || !isAny(held)) return null;
  return (
    <Suspense fallback={null}>
      <HeldBanner team={team} held={held} isListed={isListed} />
    </Suspense>
  );
});
