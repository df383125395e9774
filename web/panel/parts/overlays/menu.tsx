import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  type MenuItemProps,
  type MenuProps,
} from 'react-aria-components';
import styles from '../fields/field.module.css';

/** The items of a menu; a `MenuTrigger` opens it in a `Popover`. */
export const Menu = <Item extends object>(props: MenuProps<Item>) => <AriaMenu {...props} />;

/** An item of a menu. */
export const MenuItem = (props: Omit<MenuItemProps, 'className'>) => (
  <AriaMenuItem {...props} className={styles.option!} />
);
