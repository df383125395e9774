import { useQuery } from '@tanstack/react-query';
import { useText } from '../../language.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Skeleton } from '../../parts/feedback/skeleton.js';
import { Section } from '../../parts/layout/page.js';
import { useMayManage, useViewer } from '../../session.js';
import { settingsQuery, type Website } from './queries.js';
import { DeleteWebsite } from './settings/delete-website.js';
import { Disabling } from './settings/disabling.js';
import { SettingsFacts } from './settings/settings-facts.js';
import { SettingsForm } from './settings/settings-form.js';
import { SignatureKey } from './settings/signature-key.js';
import styles from './settings.module.css';

/** Everything that a website is set to; a member reads it. */
export function SettingsTab({ website }: { website: Website }) {
  const t = useText();
  const { staff } = useViewer();
  const mayManage = useMayManage(website.teamId);
  const settings = useQuery(settingsQuery(website.id));
  return (
    <Loaded query={settings} skeleton={<Skeleton lines={8} />}>
      {(stored) =>
        mayManage ? (
          <div className={styles.settings}>
            <SettingsForm id={website.id} stored={stored} />
            <Section title={t('website.state')}>
              {staff ? <Disabling website={website} /> : <p>{t('website.byStaff')}</p>}
            </Section>
            <Section title={t('website.key')}>
              <SignatureKey website={website} />
            </Section>
            <Section title={t('website.delete')}>
              <DeleteWebsite website={website} stored={stored} />
            </Section>
          </div>
        ) : (
          <SettingsFacts settings={stored} />
        )
      }
    </Loaded>
  );
}
