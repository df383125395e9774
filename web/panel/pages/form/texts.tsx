import { useQuery } from '@tanstack/react-query';
import {
  FORM_TEXT_NAMES,
  kindOf,
  type TextName,
  textFault,
} from '../../../../src/forms/definition/form-texts.js';
import { useText } from '../../language.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { Checkbox } from '../../parts/fields/checkbox.js';
import { Select } from '../../parts/fields/select.js';
import { TextArea } from '../../parts/fields/text-area.js';
import { TextField } from '../../parts/fields/text-field.js';
import { useFaultWords } from '../../parts/form/fault-words.js';
import { FormState } from '../../parts/form/form-state.js';
import { useMayManage } from '../../session.js';
import { REQUIRED_TEXTS } from './faults.js';
import type { FormDraft } from './form-draft.js';
import styles from './texts.module.css';
import { targetLocales } from './translations/draft-texts.js';
import { platformLocales, spokenIn, useLanguageName } from './translations/languages.js';
import { sayTextFault } from './translations/text-fault.js';
import type { TabProps } from './use-draft.js';

/** The name of the form, its language, and its own texts in that language. */
export function TextsTab(props: TabProps) {
  return useMayManage(props.form.teamId) ? <EditedTexts {...props} /> : <ReadTexts draft={props.draft} />;
}

function EditedTexts({ draft, change, faults }: TabProps) {
  const t = useText();
  const nameOf = useLanguageName();
  const platform = useQuery(platformLocales);
  const locales = platform.data ?? [draft.sourceLocale];
  const targets = targetLocales(draft);
  const messages = useMessages(draft, faults);
  const set = (values: Partial<FormDraft>) => change((before) => ({ ...before, ...values }));
  return (
    <FormState value={{ isTried: true, messages }}>
      <div className={styles.texts}>
        <TextField
          name="name"
          label={t('form.texts.name')}
          hint={t('form.texts.nameHint')}
          isRequired
          maxLength={255}
          value={draft.name}
          onChange={(name) => set({ name })}
        />
        <Checkbox
          label={t('form.texts.active')}
          isSelected={draft.active}
          onChange={(active) => set({ active })}
        />
        <Select
          label={t('form.texts.sourceLocale')}
          value={draft.sourceLocale}
          options={locales
            .filter((locale) => !targets.includes(locale))
            .map((locale) => ({ value: locale, text: nameOf(locale) }))}
          onChange={(sourceLocale) => set({ sourceLocale })}
        />
        {platform.error && <ErrorBox error={platform.error} onRetry={() => void platform.refetch()} />}
        {FORM_TEXT_NAMES.map((name) => {
          const Field = kindOf(name) === 'paragraph' ? TextArea : TextField;
          const isRequired = REQUIRED_TEXTS.some((one) => one === name);
          return (
            <Field
              key={name}
              name={name}
              label={t(`form.texts.${name}`)}
              isRequired={isRequired}
              value={draft[name] ?? ''}
              onChange={(text) => set({ [name]: isRequired ? text : text || null })}
            />
          );
        })}
      </div>
    </FormState>
  );
}

/** What is wrong with each text: found here, else refused by the gateway. */
function useMessages(draft: FormDraft, faults: TabProps['faults']): Record<string, string> {
  const t = useText();
  const refused = useFaultWords()(faults);
  const messageOf = (name: TextName & keyof FormDraft) => {
    const fault = textFault(name, draft[name]);
    return fault ? sayTextFault(t, name, fault) : refused[name];
  };
  const own = FORM_TEXT_NAMES.map((name) => [name, messageOf(name)]);
  return { ...refused, ...Object.fromEntries(own.filter(([, message]) => message)) };
}

/** The same for a viewer who may not change it. */
function ReadTexts({ draft }: { draft: FormDraft }) {
  const t = useText();
  const nameOf = useLanguageName();
  return (
    <dl className={styles.read}>
      <dt>{t('form.texts.name')}</dt>
      <dd>{draft.name}</dd>
      <dt>{t('form.texts.sourceLocale')}</dt>
      <dd>{nameOf(draft.sourceLocale)}</dd>
      {FORM_TEXT_NAMES.filter((name) => draft[name]).map((name) => (
        <div key={name}>
          <dt>{t(`form.texts.${name}`)}</dt>
          <dd {...spokenIn(draft.sourceLocale)}>{draft[name]}</dd>
        </div>
      ))}
    </dl>
  );
}
