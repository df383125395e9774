import { Icon } from './icon.js';

// Apart from the other icons, since the login can show it and none of them.
export const AlertIcon = () => (
  <Icon>
    <path d="M8 2.5 14.5 13.5h-13zM8 6.5v3.5m0 1.8v.1" />
  </Icon>
);
