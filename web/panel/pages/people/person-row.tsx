import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { MenuTrigger } from 'react-aria-components';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { ChevronIcon } from '../../parts/icons/icons.js';
import { Badge } from '../../parts/layout/badge.js';
import { Menu, MenuItem } from '../../parts/overlays/menu.js';
import { Popover } from '../../parts/overlays/popover.js';
import { Moment } from '../../parts/time/moment.js';
import { useViewer } from '../../session.js';
import { useViewAs } from '../../view-as.js';
import { type Task, TaskDialog } from './dialogs.js';
import { EditDialog } from './edit-dialog.js';
import { EmailDialog } from './email-dialog.js';
import styles from './people.module.css';
import type { Person } from './queries.js';

/** An account with what can be done to it. */
export function PersonRow({ person }: { person: Person }) {
  const t = useText();
  const viewer = useViewer();
  const view = useViewAs();
  const navigate = useNavigate();
  const [task, setTask] = useState<Task | 'edit' | 'email' | null>(null);
  const { id, name, email, staff, canLogIn, access, memberships } = person;
  const isOwn = id === viewer.userId;
  const close = () => setTask(null);
  return (
    <tr>
      <td>
        {name} {staff && <Badge>{t('people.staff')}</Badge>}{' '}
        {access.disabledAt && <Badge tone="danger">{t('people.isDisabled')}</Badge>}
        {!access.disabledAt && !canLogIn && <Badge tone="warning">{t('people.noPassword')}</Badge>}
        <span className={styles.address}>{email}</span>
      </td>
      <td>
        <ul className={styles.teams}>
          {memberships.map(({ role, team }) => (
            <li key={team.id}>{t('people.role', { team: team.name, role })}</li>
          ))}
        </ul>
      </td>
      <td>{access.lastLoginAt ? <Moment at={access.lastLoginAt} /> : t('people.never')}</td>
      <td>{t(access.secondFactorAt ? 'people.factorOn' : 'people.factorOff')}</td>
      <td>
        <MenuTrigger>
          <Button variant="quiet" aria-label={t('people.actionsOf', { name })}>
            {t('people.actions')}
            <ChevronIcon />
          </Button>
          <Popover placement="bottom end">
            <Menu>
              <MenuItem onAction={() => setTask('edit')}>{t('people.edit')}</MenuItem>
              {!isOwn && <MenuItem onAction={() => setTask('email')}>{t('people.changeEmail')}</MenuItem>}
              {!isOwn && <MenuItem onAction={() => setTask('reset')}>{t('people.reset')}</MenuItem>}
              {!isOwn && access.secondFactorAt && (
                <MenuItem onAction={() => setTask('resetFactor')}>{t('people.resetFactor')}</MenuItem>
              )}
              {!isOwn && (
                <MenuItem onAction={() => setTask(access.disabledAt ? 'enable' : 'disable')}>
                  {t(access.disabledAt ? 'people.enable' : 'people.disable')}
                </MenuItem>
              )}
              {!isOwn && <MenuItem onAction={() => setTask('delete')}>{t('people.delete')}</MenuItem>}
              <MenuItem onAction={() => navigate({ to: '/audit', search: { actor: id } })}>
                {t('people.audit')}
              </MenuItem>
              {memberships.map(({ team }) => (
                <MenuItem key={team.id} onAction={() => view.begin(team.id)}>
                  {t('people.viewAs', { team: team.name })}
                </MenuItem>
              ))}
            </Menu>
          </Popover>
        </MenuTrigger>
        {view.question}
        {task === 'edit' && <EditDialog person={person} onClose={close} />}
        {task === 'email' && <EmailDialog person={person} onClose={close} />}
        {task && task !== 'edit' && task !== 'email' && (
          <TaskDialog task={task} person={person} onClose={close} />
        )}
      </td>
    </tr>
  );
}
