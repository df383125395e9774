import { useQuery } from '@tanstack/react-query';
import { useText } from '../../../language.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Dialog, DialogButtons } from '../../../parts/overlays/dialog.js';
import type { SavedForm } from '../queries.js';
import { usageQuery } from './usage.js';
import { WebsiteNames } from './website-names.js';

type Props = Readonly<{ form: SavedForm; onHide(): void; onClose(): void }>;

/** Tells which websites would no longer show the form, before the draft is set so. */
export function ShowDialog({ form, onHide, onClose }: Props) {
  const t = useText();
  const usage = useQuery(usageQuery(form.id));
  return (
    <Dialog title={t('form.hide')} isOpen onClose={onClose}>
      <Loaded query={usage}>
        {({ websites }) => (
          <>
            <p>{t('form.hideText', { count: websites.length })}</p>
            <WebsiteNames websites={websites} />
          </>
        )}
      </Loaded>
      <DialogButtons
        action={t('form.hide')}
        onPress={() => {
          onHide();
          onClose();
        }}
      />
    </Dialog>
  );
}
