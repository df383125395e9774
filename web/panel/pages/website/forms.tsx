import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '../../language.js';
import { EmptyState } from '../../parts/feedback/empty-state.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { type Placement, placementsQuery } from '../../placements.js';
import { useMayManage } from '../../session.js';
import { AddForm } from './forms/add-form.js';
import { PlacementForm } from './forms/placement-form.js';
import { PlacementItem } from './forms/placement-item.js';
import styles from './forms.module.css';
import type { Website } from './queries.js';

const route = getRouteApi('/shell/websites/$websiteId');

/**
 * Lists placements together with the edited one, also once another account has taken its form off the website: what is
 * typed stays, and its save tells of that.
 */
function useEdited(list: readonly Placement[] = [], edited: string | undefined): readonly Placement[] {
  const [last, setLast] = useState<Placement | null>(null);
  const found = list.find(({ form }) => form.id === edited);
  if (found && found !== last) setLast(found);
  if (found || !last || last.form.id !== edited) return list;
  return [...list, last].sort((one, other) => Number(one.form.id) - Number(other.form.id));
}

/** The forms on a website, and how each stands there. */
export function FormsTab({ website }: { website: Website }) {
  const t = useText();
  const { placement: edited } = route.useSearch();
  const navigate = useNavigate();
  const mayManage = useMayManage(website.teamId);
  const placements = useQuery(placementsQuery(website.id));
  const withEdited = useEdited(placements.data, edited);
  const [last, setLast] = useState<string | null>(null);
  const edit = (placement: string | undefined) => {
    setLast(edited ?? null);
    void navigate({
      to: '.',
      search: (given) => ({ ...given, placement }),
      // What closes the editor is *Save* or *Cancel*.
      ignoreBlocker: placement === undefined,
    });
  };
  return (
    <Loaded query={placements}>
      {(list) => (
        <div className={styles.forms}>
          {withEdited.length === 0 && (
            <EmptyState title={t('placement.none')}>
              <p>{t(mayManage ? 'placement.first' : 'placement.firstByOthers')}</p>
            </EmptyState>
          )}
          {withEdited.length > 0 && (
            <ul className={styles.list}>
              {withEdited.map((placement) => (
                <li key={placement.form.id}>
                  <PlacementItem
                    websiteId={website.id}
                    placement={placement}
                    mayManage={mayManage && placement.form.id !== edited}
                    wasEdited={placement.form.id === last}
                    onEdit={() => edit(placement.form.id)}
                  />
                  {mayManage && placement.form.id === edited && (
                    <PlacementForm website={website} placement={placement} onClose={() => edit(undefined)} />
                  )}
                </li>
              ))}
            </ul>
          )}
          {mayManage && (
            <div className={styles.add}>
              <AddForm website={website} placed={list.map(({ form }) => form.id)} onAdded={edit} />
              <Link to="/forms" search={{ team: website.teamId, create: true }}>
                {t('placement.create')}
              </Link>
              <Link to="/forms" search={{ team: website.teamId }}>
                {t('placement.allForms')}
              </Link>
            </div>
          )}
        </div>
      )}
    </Loaded>
  );
}
