/*
 * The messages between the panel and the frame in which it previews a form. The frame's origin is opaque, so each side
 * identifies the other by its window.
 */

/** What the gateway would answer to a submission. */
export type SubmissionAnswer = Readonly<{
  /** HTTP status; 0 means no answer. */
  status: number;
  body: Readonly<Record<string, unknown>>;
  /** `Retry-After`, in seconds. */
  waitS: number | null;
}>;

/** A message of the panel to the frame. */
export type ToPreview =
  /** Shows a form, as `forms/config` answers it, and keeps what was typed. */
  | Readonly<{ kind: 'show'; definition: object; isDark: boolean }>
  /** Answers a submission as the gateway would. */
  | (Readonly<{ kind: 'answer'; id: number }> & SubmissionAnswer);

/** A message of the frame to the panel. */
export type FromPreview =
  /** The frame has loaded and shows nothing yet. */
  | Readonly<{ kind: 'ready' }>
  /** The form is submitted, after the script's own checks. */
  | Readonly<{ kind: 'submit'; id: number; body: Readonly<Record<string, unknown>> }>
  /** A link was followed, which would open a tab on a website. */
  | Readonly<{ kind: 'link'; url: string }>;
