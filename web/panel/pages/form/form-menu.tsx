import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { MenuTrigger } from 'react-aria-components';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { ChevronIcon } from '../../parts/icons/icons.js';
import { Menu, MenuItem } from '../../parts/overlays/menu.js';
import { Popover } from '../../parts/overlays/popover.js';
import type { FormDraft } from './form-draft.js';
import type { SavedForm } from './queries.js';
import type { Change } from './use-draft.js';

const RenameDialog = lazyRouteComponent(() => import('./menu/rename-dialog.js'), 'RenameDialog');
const DuplicateDialog = lazyRouteComponent(() => import('./menu/duplicate-dialog.js'), 'DuplicateDialog');
const ShowDialog = lazyRouteComponent(() => import('./menu/show-dialog.js'), 'ShowDialog');
const DeleteDialog = lazyRouteComponent(() => import('./menu/delete-dialog.js'), 'DeleteDialog');

type Props = Readonly<{ form: SavedForm; draft: FormDraft; isDirty: boolean; change: Change }>;

type Dialog = 'rename' | 'duplicate' | 'show' | 'delete';

/** What can be done with a form as a whole. */
export function FormMenu({ form, draft, isDirty, change }: Props) {
  const t = useText();
  const [open, setOpen] = useState<Dialog | null>(null);
  const onClose = () => setOpen(null);
  const setActive = (active: boolean) => change((before) => ({ ...before, active }));
  return (
    <>
      <MenuTrigger>
        <Button>
          {t('form.menu')}
          <ChevronIcon />
        </Button>
        <Popover placement="bottom end">
          <Menu
            aria-label={t('form.menu')}
            onAction={(action) => {
              if (action === 'show' && !draft.active) setActive(true);
              else setOpen(action as Dialog);
            }}
          >
            <MenuItem id="rename">{t('form.rename')}</MenuItem>
            <MenuItem id="duplicate">{t('form.duplicate')}</MenuItem>
            <MenuItem id="show">{t(draft.active ? 'form.hide' : 'form.show')}</MenuItem>
            <MenuItem id="delete">{t('form.delete')}</MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
      <Suspense>
        {open === 'rename' && <RenameDialog form={form} draft={draft} change={change} onClose={onClose} />}
        {open === 'duplicate' && <DuplicateDialog form={form} isDirty={isDirty} onClose={onClose} />}
        {open === 'show' && <ShowDialog form={form} onHide={() => setActive(false)} onClose={onClose} />}
        {open === 'delete' && <DeleteDialog form={form} onHide={() => setActive(false)} onClose={onClose} />}
      </Suspense>
    </>
  );
}
