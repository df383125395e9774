import { useState } from 'react';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { Table } from '../../../parts/layout/table.js';
import { Dialog, DialogActions } from '../../../parts/overlays/dialog.js';
import type { FormDraft } from '../form-draft.js';
import type { ImportedText, TranslationsImport } from './csv-file.js';
import { type DraftText, targetLocales } from './draft-texts.js';
import styles from './import-dialog.module.css';
import { spokenIn, useLanguageName } from './languages.js';
import { sayTextFault } from './text-fault.js';

type Props = {
  /** What a file would change; null while none is looked at. */
  found: TranslationsImport | null;
  draft: FormDraft;
  onClose(): void;
  onApply(found: TranslationsImport): void;
};

/** Shows what a file would change in the draft, and what is wrong with it, before anything changes. */
export function ImportDialog({ found, draft, onClose, onApply }: Props) {
  const t = useText();
  return (
    <Dialog title={t('translations.import')} isOpen={found !== null} onClose={onClose} isWide>
      {found && <Review found={found} draft={draft} onClose={onClose} onApply={onApply} />}
    </Dialog>
  );
}

function Review({ found, draft, onClose, onApply }: Props & { found: TranslationsImport }) {
  const t = useText();
  const { changes, faults } = found;
  return (
    <>
      <p>{t('translations.changes', { count: changes.length })}</p>
      {faults.length > 0 && <Faults faults={faults} draft={draft} />}
      {changes.length > 0 && <Changes changes={changes} draft={draft} />}
      <DialogActions>
        <Button onPress={onClose}>{t('action.cancel')}</Button>
        {changes.length > 0 && (
          <Button variant="primary" onPress={() => onApply(found)}>
            {t('translations.apply')}
          </Button>
        )}
      </DialogActions>
    </>
  );
}

/** Faults that are shown, and rows of the table that are shown at first. */
const FIRST = 200;

function Faults({ faults, draft }: { faults: TranslationsImport['faults']; draft: FormDraft }) {
  const t = useText();
  const nameOf = useLanguageName();
  return (
    <section className={styles.faults}>
      <h3>{t('translations.faults', { count: faults.length })}</h3>
      <ul>
        {faults.slice(0, FIRST).map((fault) =>
          'about' in fault ? (
            <li key={`${fault.row} ${fault.kind} ${fault.about}`}>
              {fault.row !== null && <strong>{t('translations.row', { row: fault.row })}</strong>}{' '}
              {fault.about && <code>{fault.about}</code>} {t(`translations.fault.${fault.kind}`)}
            </li>
          ) : (
            <li key={`${fault.row} ${fault.locale}`}>
              <strong>{t('translations.row', { row: fault.row })}</strong>{' '}
              <TextName text={fault.text} draft={draft} /> ({nameOf(fault.locale)}){' '}
              {sayTextFault(t, fault.text.place.text, fault.kind)}
            </li>
          ),
        )}
        {faults.length > FIRST && <li>{t('translations.moreFaults', { count: faults.length - FIRST })}</li>}
      </ul>
    </section>
  );
}

function Changes({ changes, draft }: { changes: readonly ImportedText[]; draft: FormDraft }) {
  const t = useText();
  const nameOf = useLanguageName();
  const [isWhole, setWhole] = useState(false);
  const locales = [...new Set(changes.map(({ locale }) => locale))];
  return (
    <>
      <ul>
        {locales.map((locale) => {
          const inLocale = changes.filter((change) => change.locale === locale);
          const added = inLocale.filter(({ before }) => before === '').length;
          const values = { language: nameOf(locale), added, changed: inLocale.length - added };
          const isNew = !targetLocales(draft).includes(locale);
          return (
            <li key={locale}>{t(isNew ? 'translations.newLanguage' : 'translations.changesIn', values)}</li>
          );
        })}
      </ul>
      <div className={styles.changes}>
        <Table
          label={t('translations.changes', { count: changes.length })}
          headings={(['row', 'text', 'language', 'now', 'then'] as const).map((column) =>
            t(`translations.column.${column}`),
          )}
        >
          {changes.slice(0, isWhole ? undefined : FIRST).map(({ row, text, locale, before, after }) => (
            <tr key={`${row} ${locale}`}>
              <td>{row}</td>
              <td>
                <TextName text={text} draft={draft} />
              </td>
              <td>{nameOf(locale)}</td>
              <td {...spokenIn(locale)}>{before}</td>
              <td {...spokenIn(locale)}>{after}</td>
            </tr>
          ))}
        </Table>
      </div>
      {changes.length > FIRST && !isWhole && (
        <Button variant="quiet" onPress={() => setWhole(true)}>
          {t('translations.showAll', { count: changes.length })}
        </Button>
      )}
    </>
  );
}

/** Names a text by its field and what it is there. */
function TextName({ text: { place }, draft }: { text: DraftText; draft: FormDraft }) {
  const t = useText();
  if (place.field === null) return t(`form.texts.${place.text}`);
  const field = draft.fields[place.field]!;
  const ofField =
    place.option === null
      ? t(`form.texts.${place.text}`)
      : t('translations.option', { value: field.options[place.option]!.value });
  return `${field.label || field.name} · ${ofField}`;
}
