/** Tells password managers whose password a form is about. */
export const HiddenUsername = ({ email }: { email: string }) => (
  <input type="text" autoComplete="username" value={email} readOnly hidden />
);
