import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { GatewayError } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { useFaultWords } from '../../../parts/form/fault-words.js';
import { refusedFields } from '../../../parts/form/refused-fields.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import { say } from '../../../parts/overlays/toasts.js';
import type { SavedForm } from '../queries.js';
import { ChangeTable } from './change-table.js';
import styles from './history.module.css';
import { comparisonQuery, type KeptField, restoreVersion } from './queries.js';

type Props = { form: SavedForm; version: number; onClose(): void };

/** Tells what a restore would change, and restores. */
export function RestoreDialog({ form: { id, version: present }, version, onClose }: Props) {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const comparison = useQuery(comparisonQuery(id, present, version));
  const restore = useMutation({
    mutationFn: () => restoreVersion(id, version, present),
    onSuccess: async () => {
      say(t('versions.restored', { version }));
      onClose();
      await client.invalidateQueries({ queryKey: ['form', id] });
      await navigate({ to: '.', search: (given) => ({ ...given, since: undefined, version: undefined }) });
    },
    // After a conflict another version is the present one, and so it may be when the answer was lost. What is there now
    // is shown behind the dialog, and compared with.
    onError: () => void client.invalidateQueries({ queryKey: ['form', id] }),
  });
  const { error } = restore;
  const faults = refusedFields(error);
  return (
    <Dialog
      title={t('versions.restore.title', { version })}
      isOpen
      isWide
      onClose={onClose}
      isPending={restore.isPending}
    >
      <p>{t('versions.restore.text', { version, next: present + 1 })}</p>
      <Loaded query={comparison}>
        {(read) => (
          <>
            <ChangeTable comparison={read} />
            {faults && <Faults faults={faults} fields={read.fields} />}
          </>
        )}
      </Loaded>
      {error && !faults && <ErrorBox error={error} />}
      <DialogButtons
        action={t('versions.restore')}
        isDisabled={!comparison.data?.changeCount || faults !== null}
        onPress={() => restore.mutate()}
      />
    </Dialog>
  );
}

/** What keeps a version from being restored, by field. */
function Faults({ faults, fields }: { faults: GatewayError['fields']; fields: readonly KeptField[] }) {
  const t = useText();
  const faultWords = useFaultWords();
  const placeOf = (path: string) => {
    const [, index] = /^definition\.fields\.(\d+)/.exec(path) ?? [];
    return (index && fields[Number(index)]?.label) || t('change.form');
  };
  return (
    <div role="alert">
      <p>{t('versions.restore.invalid')}</p>
      <ul className={styles.faults}>
        {Object.entries(faultWords(faults)).map(([path, words]) => (
          <li key={path}>{t('versions.restore.fault', { place: placeOf(path), fault: words })}</li>
        ))}
      </ul>
    </div>
  );
}
