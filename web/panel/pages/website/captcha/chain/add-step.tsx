import { MenuTrigger } from 'react-aria-components';
import { useText } from '../../../../language.js';
import { Button } from '../../../../parts/buttons/button.js';
import { ChevronIcon } from '../../../../parts/icons/icons.js';
import { Menu, MenuItem } from '../../../../parts/overlays/menu.js';
import { Popover } from '../../../../parts/overlays/popover.js';
import { type CaptchaType, TYPES } from './draft.js';

type Props = { isProofTaken: boolean; onAdd(type: CaptchaType): void };

/** Adds a step of a provider. A chain needs no second proof of work, which would never be asked. */
export function AddStep({ isProofTaken, onAdd }: Props) {
  const t = useText();
  return (
    <MenuTrigger>
      <Button>
        {t('chain.add')}
        <ChevronIcon />
      </Button>
      <Popover placement="bottom end">
        <Menu
          aria-label={t('chain.add')}
          disabledKeys={isProofTaken ? ['altcha'] : []}
          onAction={(type) => onAdd(type as CaptchaType)}
        >
          {TYPES.map((type) => (
            <MenuItem key={type} id={type}>
              {t(`step.type.${type}`)}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
