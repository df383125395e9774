import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useIntl } from 'react-intl';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { Select } from '../../../parts/fields/select.js';
import type { FormSearch } from '../search.js';
import { NO_WEBSITE } from '../search.js';
import styles from './preview.module.css';

const route = getRouteApi('/shell/forms/$formId');

type Props = {
  language: string;
  languages: readonly string[];
  websiteId: string | null;
  websites: readonly Readonly<{ id: string; name: string }>[];
  onStartAgain(): void;
};

/** How the form is looked at, all of it in the address. */
export function PreviewControls({ language, languages, websiteId, websites, onStartAgain }: Props) {
  const t = useText();
  const intl = useIntl();
  const { narrow, dark } = route.useSearch();
  const navigate = useNavigate();

  const look = (changed: Partial<FormSearch>) =>
    void navigate({ to: '.', search: (given) => ({ ...given, ...changed }) });

  return (
    <div className={styles.controls}>
      <Select
        label={t('form.preview.language')}
        value={language}
        options={languages.map((value) => ({
          value,
          text: intl.formatDisplayName(value, { type: 'language' }) ?? value,
        }))}
        onChange={(previewIn) => look({ previewIn })}
      />
      <Select
        label={t('form.preview.website')}
        value={websiteId ?? NO_WEBSITE}
        options={[
          { value: NO_WEBSITE, text: t('form.preview.website.none') },
          ...websites.map(({ id, name }) => ({ value: id, text: name })),
        ]}
        onChange={(previewOn) => look({ previewOn })}
      />
      <Button
        aria-pressed={narrow === '1'}
        onPress={() => look({ narrow: narrow === '1' ? undefined : '1' })}
      >
        {t('form.preview.narrow')}
      </Button>
      <Button aria-pressed={dark === '1'} onPress={() => look({ dark: dark === '1' ? undefined : '1' })}>
        {t('form.preview.dark')}
      </Button>
      <Button variant="quiet" onPress={onStartAgain}>
        {t('preview.again')}
      </Button>
    </div>
  );
}
