import { Popover as AriaPopover, type PopoverProps } from 'react-aria-components';
import styles from './popover.module.css';

/** What floats beside the part that has opened it. */
export const Popover = (props: Omit<PopoverProps, 'className'>) => (
  <AriaPopover offset={4} {...props} className={styles.popover!} />
);
