/** The first and the last day of a part of the audit trail, as in 2026-11-21; without one that end is open. */
export type AuditDays = Readonly<{ from?: string | undefined; to?: string | undefined }>;

/** Moves one end of the days, or opens it. The other one follows where the days would be in the wrong order. */
export function withDay({ from, to }: AuditDays, end: keyof AuditDays, day: string | undefined): AuditDays {
  if (end === 'from') return { from: day, to: day && to && to < day ? day : to };
  return { from: day && from && from > day ? day : from, to: day };
}
