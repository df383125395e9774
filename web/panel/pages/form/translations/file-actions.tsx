import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { say } from '../../../parts/overlays/toasts.js';
import { readText } from '../../../parts/read-text.js';
import { saveFile } from '../../../parts/save-file.js';
import type { FormDraft } from '../form-draft.js';
import type { Change } from '../use-draft.js';
import {
  exportTranslations,
  failedImport,
  readTranslations,
  type TranslationsImport,
  withImported,
} from './csv-file.js';
import { ImportDialog } from './import-dialog.js';
import { platformLocales } from './languages.js';

/** Downloads the texts of the draft with their translations. */
export function ExportTranslations({ draft, slug }: { draft: FormDraft; slug: string }) {
  const t = useText();
  const save = () =>
    saveFile(new Blob([exportTranslations(draft)], { type: 'text/csv' }), `${slug}-translations.csv`);
  return <Button onPress={save}>{t('action.export')}</Button>;
}

const NOT_UTF8 = failedImport('not_utf8');

/** Reads a file of translations, and takes it into the draft once its changes have been looked at. */
export function ImportTranslations({ draft, change }: { draft: FormDraft; change: Change }) {
  const t = useText();
  const { data: locales } = useQuery(platformLocales);
  const [found, setFound] = useState<TranslationsImport | null>(null);
  const read = async (file: File, known: readonly string[]) => {
    const text = await readText(file);
    setFound(text === null ? NOT_UTF8 : readTranslations(text, draft, known));
  };
  return (
    <>
      <FileTrigger
        acceptedFileTypes={['.csv', 'text/csv', 'text/plain', 'text/tab-separated-values']}
        onSelect={(files) => {
          const file = files?.[0];
          if (file && locales) void read(file, locales);
        }}
      >
        <Button isDisabled={!locales}>{t('translations.import')}</Button>
      </FileTrigger>
      <ImportDialog
        found={found}
        draft={draft}
        onClose={() => setFound(null)}
        onApply={({ changes }) => {
          change((before) => withImported(before, changes));
          setFound(null);
          say(t('translations.imported', { count: changes.length }));
        }}
      />
    </>
  );
}
