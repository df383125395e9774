import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { MenuTrigger } from 'react-aria-components';
import { PANEL } from '../address.js';
import { graphql, request } from '../graphql.js';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { describeError } from '../parts/feedback/error-words.js';
import { ChevronIcon, PersonIcon } from '../parts/icons/icons.js';
import { showKeys } from '../parts/keyboard/keys.js';
import { Menu, MenuItem } from '../parts/overlays/menu.js';
import { Popover } from '../parts/overlays/popover.js';
import { say } from '../parts/overlays/toasts.js';
import { useViewer } from '../session.js';
import { tellLogout } from '../session-channel.js';
import styles from './account-menu.module.css';

const LOGOUT = graphql(`
  mutation logout {
    logout
  }
`);

/** Who is logged in, and the way to the account and out. */
export function AccountMenu() {
  const t = useText();
  const { name, email } = useViewer();
  const navigate = useNavigate();
  const logout = useMutation({
    mutationFn: () => request(LOGOUT),
    onSuccess: () => {
      tellLogout();
      // A new document, so that nothing of the account stays in memory.
      location.assign(`${PANEL}login`);
    },
    onError: (error) => say(describeError(error, t).text),
  });
  return (
    <div className={styles.account}>
      <p className={styles.name} title={email}>
        {name}
      </p>
      <MenuTrigger>
        <Button variant="quiet">
          <PersonIcon />
          {t('menu.account')}
          <ChevronIcon />
        </Button>
        <Popover placement="top start">
          <Menu>
            <MenuItem onAction={() => navigate({ to: '/account' })}>{t('menu.settings')}</MenuItem>
            <MenuItem onAction={showKeys}>{t('keys.help')}</MenuItem>
            <MenuItem onAction={() => logout.mutate()}>{t('menu.logout')}</MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
    </div>
  );
}
