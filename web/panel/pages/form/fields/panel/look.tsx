import { useText } from '../../../../language.js';
import { Checkbox } from '../../../../parts/fields/checkbox.js';
import { TextArea } from '../../../../parts/fields/text-area.js';
import { TextField } from '../../../../parts/fields/text-field.js';
import type { FieldDraft } from '../../queries.js';
import type { Change } from '../../use-draft.js';
import { takesPlaceholder } from '../attributes.js';
import styles from '../field-panel.module.css';
import { changeField } from '../recipes.js';

type Props = Readonly<{ field: FieldDraft; change: Change }>;

/** What visitors see of a field beside its controls: its label or not, and the texts that help to fill it in. */
export function FieldLook({ field, change }: Props) {
  const t = useText();
  const set = (changes: Partial<FieldDraft>) =>
    change(changeField(field.name, (now) => ({ ...now, ...changes })));
  const text = (key: 'placeholder' | 'helpText' | 'linkUrl') => ({
    name: key,
    label: t(`form.field.${key}`),
    value: field[key] ?? '',
    onChange: (value: string) => set({ [key]: value || null }),
  });
  return (
    <div className={styles.part}>
      <h3>{t('form.field.look')}</h3>
      <Checkbox
        label={t('form.field.showLabel')}
        isSelected={field.showLabel}
        onChange={(showLabel) => set({ showLabel })}
      />
      {(takesPlaceholder(field.type) || field.placeholder) && (
        <TextField {...text('placeholder')} maxLength={500} />
      )}
      <TextArea {...text('helpText')} maxLength={5000} />
      <TextField {...text('linkUrl')} hint={t('form.field.linkUrlHint')} type="url" maxLength={2048} />
    </div>
  );
}
