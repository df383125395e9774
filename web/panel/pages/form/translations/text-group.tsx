import { memo, useState } from 'react';
import { useText } from '../../../language.js';
import type { FormDraft } from '../form-draft.js';
import {
  type DraftText,
  fieldFaultPath,
  fieldTranslation,
  ownFaultPath,
  ownTexts,
  ownTranslation,
  textsOfField,
} from './draft-texts.js';
import styles from './text-group.module.css';
import { type Edit, TextRow, textId } from './text-row.js';

/** What every group of texts is given. */
type Given = Readonly<{
  sourceLocale: string;
  locale: string;
  /** What the gateway has refused, in words by its path. */
  refused: Readonly<Record<string, string>>;
  isReadOnly: boolean;
  onEdit: Edit;
}>;

type Row = DraftText & Readonly<{ translation: string; path: string; optionValue: string | null }>;

type GroupProps = Given & { title: string; name?: string; rows: readonly Row[] };

/** Texts that belong together. One without source or translation is left out, unless it was emptied here. */
function TextGroup({ title, name, rows, refused, ...given }: GroupProps) {
  const [filled, setFilled] = useState<ReadonlySet<string>>(new Set());
  const idOf = ({ key }: Row) => `${given.locale} ${key}`;
  const added = rows.filter((row) => (row.source || row.translation) && !filled.has(idOf(row))).map(idOf);
  if (added.length > 0) setFilled(new Set([...filled, ...added]));
  const visible = rows.filter((row) => filled.has(idOf(row)));
  if (visible.length === 0) return null;
  return (
    <fieldset className={styles.group}>
      <legend className={styles.title}>
        {title} {name && <code className={styles.name}>{name}</code>}
      </legend>
      {visible.map(({ place, source, translation, path, optionValue }) => (
        <TextRow
          key={textId(place)}
          {...place}
          {...given}
          optionValue={optionValue}
          source={source}
          translation={translation}
          refused={refused[path]}
        />
      ))}
    </fieldset>
  );
}

/** The texts of the form itself. */
export function OwnTexts({ draft, ...given }: Given & { draft: FormDraft }) {
  const t = useText();
  const { locale } = given;
  const rows = ownTexts(draft).map((text) => ({
    ...text,
    translation: ownTranslation(draft, text.place.text, locale),
    path: ownFaultPath(draft, text.place.text, locale),
    optionValue: null,
  }));
  return <TextGroup title={t('translations.own')} rows={rows} {...given} />;
}

/** The texts of a field and its options. It is drawn again only when the field changes. */
export const FieldTexts = memo(function FieldTexts({
  field,
  position,
  ...given
}: Given & { field: FormDraft['fields'][number]; position: number }) {
  const { locale } = given;
  const rows = textsOfField(field, position).map((text) => ({
    ...text,
    translation: fieldTranslation(field, text.place, locale),
    path: fieldFaultPath(field, text.place, locale),
    optionValue: text.place.option === null ? null : field.options[text.place.option]!.value,
  }));
  return <TextGroup title={field.label || field.name} name={field.name} rows={rows} {...given} />;
});
