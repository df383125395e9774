import { memo } from 'react';
import { kindOf, type TextPlace, textFault } from '../../../../../src/forms/definition/form-texts.js';
import { useText } from '../../../language.js';
import { Badge } from '../../../parts/layout/badge.js';
import { spokenIn } from './languages.js';
import { sayTextFault } from './text-fault.js';
import styles from './text-row.module.css';

/** Translates the text at a place, which the page finds in its draft. */
export type Edit = (place: TextPlace, translation: string) => void;

type Props = {
  field: TextPlace['field'];
  option: TextPlace['option'];
  text: TextPlace['text'];
  /** Value of the option. */
  optionValue: string | null;
  source: string;
  sourceLocale: string;
  translation: string;
  locale: string;
  /** What the gateway has refused about it. */
  refused: string | undefined;
  isReadOnly: boolean;
  onEdit: Edit;
};

/** Id of the text box of a place. */
export const textId = ({ field, option, text }: TextPlace): string => ['text', field, option, text].join('-');

/** A text in both languages, side by side. It is drawn again only when something of its own changes. */
export const TextRow = memo(function TextRow(props: Props) {
  const { field, option, text, optionValue, source, sourceLocale, translation, locale, isReadOnly } = props;
  const t = useText();
  const place = { field, option, text } as TextPlace;
  const id = textId(place);
  const kind = kindOf(text);
  const isOneLine = kind !== 'paragraph';
  const fault = textFault(text, translation);
  const message = fault ? sayTextFault(t, text, fault) : props.refused;
  const name =
    optionValue === null ? t(`form.texts.${text}`) : t('translations.option', { value: optionValue });
  return (
    <div className={styles.row}>
      <div className={styles.name}>
        {isReadOnly ? <span>{name}</span> : <label htmlFor={id}>{name}</label>}
        {source && !translation && <Badge tone="warning">{t('translations.missing')}</Badge>}
      </div>
      <p className={styles.source} id={`${id}-source`} {...spokenIn(sourceLocale)}>
        {source}
      </p>
      {isReadOnly ? (
        <p className={styles.source} {...spokenIn(locale)}>
          {translation}
        </p>
      ) : (
        <div>
          <textarea
            id={id}
            className={styles.input}
            rows={isOneLine ? 1 : 2}
            {...spokenIn(locale)}
            spellCheck={kind !== 'address'}
            aria-describedby={message ? `${id}-source ${id}-fault` : `${id}-source`}
            aria-invalid={Boolean(message)}
            value={translation}
            onChange={({ target }) =>
              // What is pasted into one line becomes one.
              props.onEdit(place, isOneLine ? target.value.replace(/\s*[\r\n]+\s*/g, ' ') : target.value)
            }
            onKeyDown={(event) => {
              if (isOneLine && event.key === 'Enter') event.preventDefault();
            }}
          />
          {message && (
            <p className={styles.fault} id={`${id}-fault`}>
              {message}
            </p>
          )}
        </div>
      )}
    </div>
  );
});
