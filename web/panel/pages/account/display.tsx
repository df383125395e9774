import { useState } from 'react';
import { useText } from '../../language.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { Checkbox } from '../../parts/fields/checkbox.js';
import { Select } from '../../parts/fields/select.js';
import { areKeysOn, turnKeys } from '../../parts/keyboard/keys.js';
import { Section } from '../../parts/layout/page.js';
import { useViewer } from '../../session.js';
import styles from '../account.module.css';
import { useViewerUpdate } from './use-viewer-update.js';

/** Language and theme of the account, and the keyboard shortcuts of this browser. */
export function Display() {
  const t = useText();
  const { language, theme } = useViewer();
  const update = useViewerUpdate();
  const [hasKeys, setHasKeys] = useState(areKeysOn);
  return (
    <Section title={t('account.display')}>
      <div className={styles.choices}>
        <Select
          label={t('account.language')}
          value={language ?? 'browser'}
          onChange={(value) => update.mutate({ language: value === 'browser' ? null : value })}
          options={[
            { value: 'browser', text: t('account.language.browser') },
            { value: 'en', text: 'English' },
            { value: 'fr', text: 'Français' },
          ]}
        />
        <Select
          label={t('account.theme')}
          value={theme ?? 'system'}
          onChange={(value) => update.mutate({ theme: value === 'system' ? null : value })}
          options={[
            { value: 'system', text: t('account.theme.system') },
            { value: 'light', text: t('account.theme.light') },
            { value: 'dark', text: t('account.theme.dark') },
          ]}
        />
        <Checkbox
          label={t('account.keys')}
          isSelected={hasKeys}
          onChange={(isOn) => {
            turnKeys(isOn);
            setHasKeys(isOn);
          }}
        />
        {update.error && <ErrorBox error={update.error} />}
      </div>
    </Section>
  );
}
