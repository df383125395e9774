import { useIntl } from 'react-intl';
import { useText } from '../../../language.js';
import { Fact, Facts } from '../../../parts/layout/facts.js';
import { TEXT_SETTINGS } from '../../../website-settings/draft.js';
import type { Settings } from '../queries.js';

/** The settings, to be read. */
export function SettingsFacts({ settings }: { settings: Settings }) {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const { locale, timeZone, departments } = settings;
  return (
    <>
      <p>{t('website.readOnly')}</p>
      <Facts>
        {TEXT_SETTINGS.map((setting) => (
          <Fact key={setting} label={t(`website.setting.${setting}`)}>
            {settings[setting] || '–'}
          </Fact>
        ))}
        <Fact label={t('website.language')}>{formatDisplayName(locale, { type: 'language' }) ?? locale}</Fact>
        <Fact label={t('website.timeZone')}>{timeZone}</Fact>
        <Fact label={t('website.departments')}>
          {departments.map(({ code, name }) => `${code} ${name}`).join(', ') || '–'}
        </Fact>
      </Facts>
    </>
  );
}
