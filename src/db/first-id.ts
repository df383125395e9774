/** Returns the first id (UUID version 7) that a submission can have from a moment on. */
export function firstIdFrom(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
