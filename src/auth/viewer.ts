import type { PanelLanguage, PanelTheme, Role } from '../generated/prisma/client.js';

/** The user who is logged in to the panel, with rights read afresh for each request. */
export type Viewer = Readonly<{
  userId: number;
  sessionId: string;
  email: string;
  name: string;
  /** Whether the viewer is agency staff, who see and manage every team; not while they look as a client. */
  staff: boolean;
  /** The team as whose owner staff look at the panel; null: as themselves. */
  viewAsTeamId: number | null;
  /** Of the panel's pages; null: as browser and system have it. */
  language: PanelLanguage | null;
  theme: PanelTheme | null;
  /** Roles by id of the viewer's teams, including suspended ones. */
  roles: ReadonlyMap<number, Role>;
}>;
