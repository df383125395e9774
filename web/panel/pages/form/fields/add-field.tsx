import { MenuTrigger } from 'react-aria-components';
import { FIELD_TYPES } from '../../../../../src/forms/definition/form-definition.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { PlusIcon } from '../../../parts/icons/icons.js';
import { Menu, MenuItem } from '../../../parts/overlays/menu.js';
import { Popover } from '../../../parts/overlays/popover.js';
import type { FieldType } from './attributes.js';

/** The button that adds a field, of a type to choose. */
export function AddField({ onAdd }: { onAdd(type: FieldType): void }) {
  const t = useText();
  return (
    <MenuTrigger>
      <Button>
        <PlusIcon />
        {t('form.fields.add')}
      </Button>
      <Popover placement="bottom start">
        <Menu aria-label={t('form.fields.add')} onAction={(type) => onAdd(type as FieldType)}>
          {FIELD_TYPES.map((type) => (
            <MenuItem key={type} id={type} textValue={t(`form.type.${type}`)}>
              {t(`form.type.${type}`)}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
