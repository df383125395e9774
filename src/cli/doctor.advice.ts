/** What to do about a PostgreSQL that does not answer as it should, by cause. `<url>` stands for the variable. */
const DATABASE: Readonly<Record<string, string>> = {
  login_refused: 'See that <url> has the right user and password.',
  database_missing: 'Name a database in <url> that exists.',
  not_permitted: 'Give the user in <url> the right to it.',
  too_many_clients: 'Raise max_connections of PostgreSQL, or run fewer processes.',
  disk_full: 'Its disk is full: make room, or no lead is recorded.',
  read_only: 'It only reads: name the primary in <url>.',
  server_starting: 'Wait until PostgreSQL has started; if it takes long, read its log.',
};

/** What to do about a Redis that takes no jobs, by cause. */
const QUEUE: Readonly<Record<string, string>> = {
  login_refused: 'See that REDIS_URL has the right user and password, and the user the right to it.',
  memory_full: 'Redis is full: raise its maxmemory, or remove what else is kept there.',
  disk_full: 'Redis cannot write its snapshot: make room on its disk, or turn snapshots off.',
  read_only: 'It is a replica: name the primary in REDIS_URL.',
  server_starting: 'Wait until Redis has loaded its data.',
  too_many_clients: 'Raise maxclients of Redis, or run fewer processes.',
};

/** Returns what to do about an error of PostgreSQL, at the address in the variable `url`. */
export function databaseAdvice(cause: string, reason: string, url: string): string {
  if (reason.includes('startup parameter')) return 'Behind a pooler set DIRECT_DATABASE_URL.';
  return (DATABASE[cause] ?? 'See that PostgreSQL runs and <url> is right.').replace('<url>', url);
}

/** Returns what to do about an error of Redis. */
export const queueAdvice = (cause: string): string =>
  QUEUE[cause] ?? 'See that Redis runs and REDIS_URL is right.';
