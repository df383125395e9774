import { useText } from '../../language.js';
import { Button } from '../buttons/button.js';
import { Note } from '../feedback/note.js';
import { saveFile } from '../save-file.js';
import styles from './second-factor.module.css';

/** Recovery codes, which are shown this once, to be kept. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const t = useText();
  return (
    <>
      <div role="status">
        <Note>{t('secondFactor.codesText')}</Note>
      </div>
      <ul className={styles.codes} aria-label={t('secondFactor.codes')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div>
        <Button
          onPress={() =>
            saveFile(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' }), 'formgate-codes.txt')
          }
        >
          {t('secondFactor.saveCodes')}
        </Button>
      </div>
    </>
  );
}
