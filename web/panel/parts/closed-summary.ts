/** Closes a summary, whose last sentence comes without its full stop; a single sentence stands without it. */
export const closedSummary = (summary: string): string => (/[.?] /.test(summary) ? `${summary}.` : summary);
