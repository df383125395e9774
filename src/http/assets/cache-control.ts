/** For what keeps its address when its content changes: browsers revalidate it after five minutes. */
export const FIVE_MINUTES = 'public, max-age=300, must-revalidate';

/** For what has a digest of its content in its address. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';
