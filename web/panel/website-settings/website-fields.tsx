import { useQuery } from '@tanstack/react-query';
import { use } from 'react';
import { useIntl } from 'react-intl';
import { isHttpUrl } from '../../../src/lib/text/http-url.js';
import { useText } from '../language.js';
import { Loaded } from '../parts/feedback/loaded.js';
import fieldStyles from '../parts/fields/field.module.css';
import { SearchSelect, SearchSelectMany } from '../parts/fields/search-select.js';
import { Select } from '../parts/fields/select.js';
import { TextField } from '../parts/fields/text-field.js';
import { FormState } from '../parts/form/form-state.js';
import { hostOf, REQUIRED, TEXT_SETTINGS, type TextSetting, type WebsiteDraft } from './draft.js';
import { platformQuery } from './queries.js';

type Props = {
  draft: WebsiteDraft;
  onChange(draft: WebsiteDraft): void;
  /** Whether the host follows the address until it is given. */
  isNew: boolean;
};

/** Time zones that the browser knows. */
const TIME_ZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].map((value) => ({
  value,
  text: value.replaceAll('_', ' '),
}));

const MAX_LENGTHS: Partial<Record<TextSetting, number>> = {
  logo: 2048,
  address: 500,
  zipcode: 20,
  phone: 50,
  url: 2048,
};

const TYPES: Partial<Record<TextSetting, 'email' | 'url' | 'tel'>> = { email: 'email', phone: 'tel' };

/** Settings that are addresses of the web. */
const ADDRESSES: readonly TextSetting[] = ['url', 'logo'];

/** Every setting of a website. */
export function WebsiteFields({ draft, onChange, isNew }: Props) {
  const t = useText();
  const { formatDisplayName } = useIntl();
  const platform = useQuery(platformQuery);
  const { messages } = use(FormState);
  const change = (setting: TextSetting, value: string) => {
    const follows = isNew && setting === 'url' && draft.host === hostOf(draft.url);
    onChange({ ...draft, [setting]: value, ...(follows && { host: hostOf(value) }) });
  };
  const field = (setting: TextSetting) => (
    <TextField
      key={setting}
      name={setting}
      label={t(`website.setting.${setting}`)}
      type={TYPES[setting] ?? 'text'}
      isRequired={REQUIRED.includes(setting)}
      maxLength={MAX_LENGTHS[setting] ?? 255}
      value={draft[setting]}
      onChange={(value) => change(setting, value)}
      {...(ADDRESSES.includes(setting) && {
        validate: (address: string) => (isHttpUrl(address) ? null : t(`website.rule.${setting}`)),
      })}
      {...(setting === 'host' && { hint: t('website.hostHint') })}
      {...(setting === 'email' && { hint: t('website.emailHint') })}
    />
  );
  const fault = (setting: keyof WebsiteDraft) =>
    messages[setting] && (
      <p role="alert" className={fieldStyles.error}>
        {messages[setting]}
      </p>
    );
  return (
    <>
      {REQUIRED.map(field)}
      <Loaded query={platform}>
        {({ locales, departments }) => (
          <>
            <Select
              label={t('website.language')}
              value={draft.locale}
              onChange={(locale) => onChange({ ...draft, locale })}
              options={locales.map((value) => ({
                value,
                text: formatDisplayName(value, { type: 'language' }) ?? value,
              }))}
            />
            {fault('locale')}
            <SearchSelect
              label={t('website.timeZone')}
              placeholder={t('choice.choose')}
              value={draft.timeZone}
              options={TIME_ZONES}
              onChange={({ value }) => onChange({ ...draft, timeZone: value })}
            />
            {fault('timeZone')}
            <SearchSelectMany
              label={t('website.departments')}
              placeholder={t('website.noDepartments')}
              values={draft.departments}
              options={departments.map(({ code, name }) => ({ value: code, text: `${code} ${name}` }))}
              onChange={(codes) => onChange({ ...draft, departments: codes })}
            />
            {fault('departments')}
          </>
        )}
      </Loaded>
      <p className={fieldStyles.hint}>{t('website.optionalHint')}</p>
      {TEXT_SETTINGS.filter((setting) => !REQUIRED.includes(setting)).map(field)}
    </>
  );
}
