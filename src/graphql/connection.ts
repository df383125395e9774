import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { DEFAULT_PAGE, type Page } from '../db/paging.js';
import { invalid } from '../errors.js';
import { MAX_INT } from '../lib/max-int.js';
import { isStorable } from '../lib/text/storable-text.js';
import { isUuid } from '../lib/text/uuid.js';

const MAX_PAGE_SIZE = 100;

/** The arguments of a page (Relay's cursor connections): `first` with `after`, or `last` with `before`. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, {
    nullable: true,
    description: 'Number of entries from the start; 50 if neither is given, 100 at most.',
  })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Those after this cursor.' })
  after?: string | null;

  @Field(() => Int, { nullable: true, description: 'Number of entries from the end; 100 at most.' })
  last?: number | null;

  @Field(() => String, { nullable: true, description: 'Those before this cursor.' })
  before?: string | null;
}

@ObjectType({ description: 'Where a page lies in its list.' })
class PageInfo {
  @Field(() => Boolean, { description: 'Whether there is more after this page.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether there is more before this page.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'Cursor of the first entry.' })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'Cursor of the last entry.' })
  endCursor!: string | null;
}

/** A page of a list. */
export type Connection<Node> = {
  edges: Iterable<{ cursor: string; node: Node }> & { length: number };
  pageInfo: PageInfo;
};

/** Writes the cursor of a sort key. */
export const writeCursor = (key: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(key)).toString('base64url');

/** Checks the parts of a cursor's sort key by type, so that no malformed cursor reaches the database. */
const PARTS = {
  string: (part: unknown) => typeof part === 'string' && isStorable(part),
  number: (part: unknown) => Number.isFinite(part),
  int: (part: unknown) => Number.isInteger(part) && Math.abs(part as number) <= MAX_INT,
  uuid: (part: unknown) => typeof part === 'string' && isUuid(part),
  instant: (part: unknown) =>
    typeof part === 'string' &&
    /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/.test(part) &&
    // Date.parse reads the 30th of February as the 2nd of March.
    new Date(part).toISOString().slice(0, 19) === part.slice(0, 19),
} as const;

/** The arguments of a page, before its cursor is decoded for a list. */
type PageRequest = Readonly<{
  limit: number;
  direction: Page['direction'];
  cursor: string | null;
  /** Name of the cursor's argument. */
  cursorName: 'after' | 'before';
}>;

/**
 * Reads the arguments of a page without its list. This needs no database, so the estimate of an operation's cost reads
 * them as well, and nothing of an operation with faulty pages runs.
 *
 * @throws 422 when the arguments contradict each other or ask for too many entries.
 */
export function readPageRequest(args: PageArgs): PageRequest {
  const direction = args.last != null ? 'backward' : 'forward';
  if (args.last != null && args.first != null) {
    throw invalid({ last: ['Ask for the first or for the last, not both.'] });
  }
  const [limit, cursor, names] =
    direction === 'backward'
      ? [args.last ?? DEFAULT_PAGE, args.before, ['last', 'before', 'after'] as const]
      : [args.first ?? DEFAULT_PAGE, args.after, ['first', 'after', 'before'] as const];
  if (limit < 1 || limit > MAX_PAGE_SIZE) {
    throw invalid({ [names[0]]: [`A page has 1 to ${MAX_PAGE_SIZE} entries.`] });
  }
  if (args[names[2]] != null) throw invalid({ [names[2]]: [`It does not go with ${names[0]}.`] });
  return { limit, direction, cursor: cursor ?? null, cursorName: names[1] };
}

/**
 * Reads the arguments of a page.
 *
 * @param shape Types of the sort key's parts, to recognise a cursor of this list; an `instant` is ISO 8601 in UTC.
 * @throws 422 when the arguments contradict each other, ask for too many entries, or name no cursor of this list.
 */
export function readPage(args: PageArgs, shape: readonly (keyof typeof PARTS)[]): Page {
  const { limit, direction, cursor, cursorName } = readPageRequest(args);
  return { limit, direction, cursor: cursor === null ? null : readCursor(cursor, shape, cursorName) };
}

/**
 * Reads a cursor of a list.
 *
 * @param name The argument's name.
 * @throws 422 when it is none of this list.
 */
export function readCursor(
  cursor: string,
  shape: readonly (keyof typeof PARTS)[],
  name: string,
): (string | number)[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(key) && key.length === shape.length && shape.every((type, i) => PARTS[type](key[i]))) {
      return key;
    }
  } catch {
    // Answered below.
  }
  throw invalid({ [name]: ['This is no cursor of this list.'] });
}

/**
 * Builds a page from the rows of its query. Nodes are created lazily, as each is resolved, so that those of a long
 * list are never in memory together.
 *
 * @param rows Rows from the cursor on, in the direction of the page (so backwards for a backward one), and one more
 *   than its limit if there are as many.
 * @param isThere Whether a row has a node: not one that was deleted before another statement read that. The page leaves
 *   it out, and lies in its list as if it were there, so that a reader goes on.
 */
export function toConnection<Row, Node>(
  rows: readonly Row[],
  page: Page,
  keyOf: (row: Row) => readonly (string | number)[],
  toNode: (row: Row) => Node,
  isThere: (row: Row) => boolean = () => true,
): Connection<Node> {
  const found = rows.slice(0, page.limit);
  if (page.direction === 'backward') found.reverse();
  const shown = found.filter(isThere);
  const cursorOf = (row: Row | undefined) => (row === undefined ? null : writeCursor(keyOf(row)));
  const hasMore = rows.length > page.limit;
  const cameFrom = page.cursor !== null;
  return {
    edges: {
      length: shown.length,
      *[Symbol.iterator]() {
        for (const row of shown) yield { cursor: writeCursor(keyOf(row)), node: toNode(row) };
      },
    },
    pageInfo: {
      hasNextPage: page.direction === 'forward' ? hasMore : cameFrom,
      hasPreviousPage: page.direction === 'backward' ? hasMore : cameFrom,
      startCursor: cursorOf(found[0]),
      endCursor: cursorOf(found.at(-1)),
    },
  };
}

/**
 * Builds a page from the positions of its rows, which one statement has read, and what another has found of them.
 *
 * @param byId What was found, by the id of its position. A position without it was deleted in between, and is left out.
 */
export const toConnectionById = <Id, Position extends Readonly<{ id: Id }>, Found, Node>(
  positions: readonly Position[],
  page: Page,
  keyOf: (position: Position) => readonly (string | number)[],
  byId: ReadonlyMap<Id, Found>,
  toNode: (found: Found) => Node,
): Connection<Node> =>
  toConnection(
    positions,
    page,
    keyOf,
    ({ id }) => toNode(byId.get(id)!),
    ({ id }) => byId.has(id),
  );

/** Creates the object types of a connection over a type, such as `WebsiteEdge` and `WebsiteConnection`. */
export function connectionOf<Node extends object>(
  node: ClassType<Node>,
  name: string,
): ClassType<Connection<Node>> {
  @ObjectType(`${name}Edge`, { simpleResolvers: true, description: `An entry of a page, with its cursor.` })
  class Edge {
    @Field(() => String, { description: 'The position of the entry, for `after` and `before`.' })
    cursor!: string;

    @Field(() => node, { description: 'The entry.' })
    node!: Node;
  }

  @ObjectType(`${name}Connection`, { description: 'A page of a list.' })
  class NodeConnection {
    @Field(() => [Edge], { description: 'The entries, in the order of the list.' })
    edges!: Edge[];

    @Field(() => PageInfo, { description: 'What lies before and after.' })
    pageInfo!: PageInfo;
  }
  return NodeConnection;
}
