import { useText } from '../language.js';
import { EmptyState } from '../parts/feedback/empty-state.js';
import { Page } from '../parts/layout/page.js';
import { useMayChange } from '../session.js';
import { Display } from './account/display.js';
import { Email } from './account/email.js';
import { Invitations } from './account/invitations.js';
import { Password } from './account/password.js';
import { Profile } from './account/profile.js';
import { SecondFactor } from './account/second-factor.js';
import { Sessions } from './account/sessions.js';
import styles from './account.module.css';

/** The viewer's own account. Nothing of it is a client's, so it is not there in the view as one. */
export function AccountPage() {
  const t = useText();
  const mayChange = useMayChange();
  return (
    <Page title={t('account.title')}>
      {mayChange ? (
        <div className={styles.sections}>
          <Invitations />
          <Profile />
          <Email />
          <Password />
          <SecondFactor />
          <Display />
          <Sessions />
        </div>
      ) : (
        <EmptyState title={t('account.notInView')}>
          <p>{t('account.notInViewText')}</p>
        </EmptyState>
      )}
    </Page>
  );
}
