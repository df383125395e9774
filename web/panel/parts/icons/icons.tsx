import { Icon } from './icon.js';

export const CheckIcon = () => (
  <Icon>
    <path d="m3 8.5 3.5 3.5L13 4.5" />
  </Icon>
);

export const ChevronIcon = () => (
  <Icon>
    <path d="m4 6 4 4 4-4" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon>
    <path d="m4 4 8 8m0-8-8 8" />
  </Icon>
);

export const MenuIcon = () => (
  <Icon>
    <path d="M2.5 4.5h11m-11 3.5h11m-11 3.5h11" />
  </Icon>
);

export const MoreIcon = () => (
  <Icon>
    <path d="M3.5 8v.1M8 8v.1M12.5 8v.1" />
  </Icon>
);

export const PersonIcon = () => (
  <Icon>
    <circle cx="8" cy="5.5" r="2.5" />
    <path d="M3 13.5c.6-2.4 2.5-3.5 5-3.5s4.4 1.1 5 3.5" />
  </Icon>
);

export const BackIcon = () => (
  <Icon>
    <path d="m10 4-4 4 4 4" />
  </Icon>
);

export const WaitIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="5.5" />
    <path d="M8 5v3.2l2 1.3" />
  </Icon>
);

export const AttentionIcon = () => (
  <Icon>
    <path d="M4 11V7.5a4 4 0 0 1 8 0V11l1 1.5H3zM6.5 13.5h3" />
  </Icon>
);

export const InboxIcon = () => (
  <Icon>
    <path d="M2.5 9.5 4 3.5h8l1.5 6v3h-11zm0 0h3.2l.8 1.5h3l.8-1.5h3.2" />
  </Icon>
);

export const WebsiteIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="5.5" />
    <path d="M2.5 8h11M8 2.5c-3.5 3.5-3.5 7.5 0 11 3.5-3.5 3.5-7.5 0-11" />
  </Icon>
);

export const FormIcon = () => (
  <Icon>
    <path d="M3 2.5h10v11H3zm2.5 3.5h5m-5 3h5M5.5 11h2" />
  </Icon>
);

export const TeamIcon = () => (
  <Icon>
    <circle cx="6" cy="5.5" r="2.5" />
    <path d="M1.5 13.5c0-3 2-4.5 4.5-4.5s4.5 1.5 4.5 4.5M10.5 3.3a2.5 2.5 0 0 1 0 4.4m1.5 1.6c1.6.6 2.5 2 2.5 4.2" />
  </Icon>
);

export const PlusIcon = () => (
  <Icon>
    <path d="M8 3v10M3 8h10" />
  </Icon>
);

export const EyeIcon = () => (
  <Icon>
    <path d="M1.5 8s2.5-4.5 6.5-4.5S14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z" />
    <circle cx="8" cy="8" r="2" />
  </Icon>
);

export const GripIcon = () => (
  <Icon>
    <path d="M6 4v.1M10 4v.1M6 8v.1M10 8v.1M6 12v.1M10 12v.1" />
  </Icon>
);

export const AuditIcon = () => (
  <Icon>
    <path d="M3.5 2.5h9v11h-9zm2.5 3h4m-4 2.5h4m-4 2.5h2.5" />
  </Icon>
);

export const ChartIcon = () => (
  <Icon>
    <path d="M2.5 13.5h11M4.5 11V8M8 11V3.5M11.5 11V6" />
  </Icon>
);

export const ShieldIcon = () => (
  <Icon>
    <path d="M8 2 3 4v3.5c0 3 2 5.2 5 6.5 3-1.3 5-3.5 5-6.5V4zM6 8l1.5 1.5L10.5 6.5" />
  </Icon>
);
