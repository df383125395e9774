import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isIntrospectionType,
  isListType,
  isObjectType,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { MAX_LOADED } from '../db/paging.js';
import { createSemaphore, type Semaphore } from '../lib/semaphore.js';

/** Maximum fields of one answer. An entry of a list counts one, plus one for each field selected of it. */
export const MAX_ANSWER = 2 * (MAX_LOADED - 1);

/**
 * Maximum characters of the texts and JSON values of one answer; a value inside JSON counts `VALUE_WEIGHT` more. It
 * takes that in memory several times, and about 50 ms to be written. A page of a hundred leads has about 200,000.
 */
export const MAX_ANSWER_WEIGHT = 8_000_000;

/** What a value inside JSON counts beside its characters, so that many small ones do not take longer to write. */
const VALUE_WEIGHT = 16;

/** Fields of a query that are resolved at once; further ones begin when the answer still has room for them. */
const MAX_ROOTS_AT_ONCE = 3;

/** Maximum fields that one turn of the event loop resolves, which takes about ten milliseconds. */
const FIELDS_IN_TURN = 5_000;

/** Characters that take about as long as one field. */
const WEIGHT_OF_FIELD = 100;

/** The size of an answer so far. */
export type AnswerSize = {
  fields: number;
  /** Characters of its texts and JSON values. */
  weight: number;
  /** The error that refuses the answer, once it has too many fields or characters. */
  fault: GraphQLError | null;
  /** Fields assigned to the turn that is being filled. */
  fieldsInTurn: number;
  /** The turn of the event loop that is being filled; null: the current one. */
  turn: Promise<void> | null;
  /** Resolves the fields of a query, a few at once. */
  roots: Semaphore;
  /** How many fields of the query have begun. */
  begun: number;
};

export const emptyAnswer = (): AnswerSize => ({
  fields: 0,
  weight: 0,
  fault: null,
  fieldsInTurn: 0,
  turn: null,
  roots: createSemaphore(MAX_ROOTS_AT_ONCE),
  begun: 0,
});

type Context = Readonly<{ answer: AnswerSize }>;

type Field = GraphQLField<unknown, Context>;

/** An array, or the entries of a connection. */
type Sized = Iterable<unknown> & Readonly<{ length: number }>;

type Resolved = Sized | null | PromiseLike<Sized | null>;

const isPromise = <Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> =>
  typeof value === 'object' && value !== null && 'then' in value;

/** The number of fields of a selection, cached by its node. Apollo caches documents, so each is counted once. */
const counted = new WeakMap<SelectionSetNode, number>();

function fieldsOf(selections: SelectionSetNode | undefined, info: GraphQLResolveInfo): number {
  if (!selections) return 0;
  const known = counted.get(selections);
  if (known !== undefined) return known;
  const count = selections.selections.reduce((sum, node) => sum + fieldsOfNode(node, info), 0);
  counted.set(selections, count);
  return count;
}

function fieldsOfNode(node: SelectionNode, info: GraphQLResolveInfo): number {
  if (node.kind === 'FragmentSpread') return fieldsOf(info.fragments[node.name.value]?.selectionSet, info);
  return (node.kind === 'Field' ? 1 : 0) + fieldsOf(node.selectionSet, info);
}

/** Refuses an answer. @returns the error, the same for all that is left of the answer. */
function refuse(answer: AnswerSize, message: string, { path }: GraphQLResolveInfo): GraphQLError {
  // With a path graphql-js propagates the error unchanged.
  answer.fault ??= new GraphQLError(`${message} Ask for less at once.`, { path: [path.key] });
  return answer.fault;
}

/** Adds fields to an answer. @returns the error that refuses it once it has too many. */
function grow(answer: AnswerSize, fields: number, info: GraphQLResolveInfo): GraphQLError | null {
  if (answer.fault) return answer.fault;
  answer.fields += fields;
  if (answer.fields <= MAX_ANSWER) return null;
  return refuse(answer, `The answer has more than ${MAX_ANSWER} fields.`, info);
}

/** Weighs a text or JSON value, up to the weight that an answer may have. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let weight = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0 && weight <= MAX_ANSWER_WEIGHT) {
    const next = pending.pop();
    weight += VALUE_WEIGHT;
    if (typeof next === 'string') weight += next.length;
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) for (const key of Object.keys(next)) weight += key.length;
    for (const inner of Object.values(next)) pending.push(inner);
  }
  return weight;
}

/** Adds the weight of a text or JSON value to an answer. @returns the value, or a rejection once it weighs too much. */
function weigh<Value>(value: Value, { answer }: Context, info: GraphQLResolveInfo): Value | Promise<never> {
  if (answer.fault) return Promise.reject(answer.fault);
  const weight = weightOf(value);
  answer.weight += weight;
  answer.fieldsInTurn += weight / WEIGHT_OF_FIELD;
  if (answer.weight <= MAX_ANSWER_WEIGHT) return value;
  const message = `The texts of the answer have more than ${MAX_ANSWER_WEIGHT} characters.`;
  // A throw would leave unhandled rejections in the promises of the fields before it.
  return Promise.reject(refuse(answer, message, info));
}

function unlessRefused<Value>(value: Value, { fault }: AnswerSize): Value {
  if (fault) throw fault;
  return value;
}

/** Returns a value in the turn of the event loop that has room for its fields, at first the current one. */
function inTurn<Value>(value: Value, fields: number, answer: AnswerSize): Value | Promise<Value> {
  answer.fieldsInTurn += fields;
  if (answer.fieldsInTurn > FIELDS_IN_TURN) {
    answer.fieldsInTurn = fields;
    answer.turn = (answer.turn ?? Promise.resolve()).then(() => nextTurn());
  }
  return answer.turn ? answer.turn.then(() => unlessRefused(value, answer)) : value;
}

function* entriesInTurn(list: Sized, fieldsOfEntry: number, answer: AnswerSize): Generator<unknown> {
  for (const entry of list) yield inTurn(entry, fieldsOfEntry, answer);
}

/**
 * Yields the entries of a list in one turn. Once the texts of some have filled it, each further entry is expected to be
 * like the heaviest so far.
 */
function* entriesWhileRoom(list: Sized, fieldsOfEntry: number, answer: AnswerSize): Generator<unknown> {
  let heaviest = fieldsOfEntry;
  let isFull = false;
  for (const entry of list) {
    const before = answer.fieldsInTurn;
    isFull ||= before > FIELDS_IN_TURN;
    yield isFull ? inTurn(entry, heaviest, answer) : entry;
    if (!isFull) heaviest = Math.max(heaviest, answer.fieldsInTurn - before);
  }
}

/** Counts the entries of a list with the fields selected of each, and spreads a large list over several turns. */
function count(list: Sized | null, { answer }: Context, info: GraphQLResolveInfo): unknown {
  if (!list) return list;
  const fieldsOfEntry = info.fieldNodes.reduce((sum, node) => sum + fieldsOf(node.selectionSet, info), 1);
  const fields = list.length * fieldsOfEntry;
  const fault = grow(answer, fields, info);
  // A throw would leave unhandled rejections in the promises of the entries before it.
  if (fault) return Promise.reject(fault);
  return fields <= FIELDS_IN_TURN
    ? inTurn(entriesWhileRoom(list, fieldsOfEntry, answer), fields, answer)
    : entriesInTurn(list, fieldsOfEntry, answer);
}

function boundList(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info) => {
    const list = resolve(source, args, context, info) as Resolved;
    return isPromise(list) ? list.then((found) => count(found, context, info)) : count(list, context, info);
  };
}

/** Scalars without a bound of their own. */
const WEIGHED = new Set(['String', 'JSON', 'JSONObject']);

function boundText(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info) => {
    const value = resolve(source, args, context, info);
    return isPromise(value)
      ? value.then((found) => weigh(found, context, info))
      : weigh(value, context, info);
  };
}

/** Resolves a query's field in its turn; once the answer is refused, nothing further is loaded. */
function boundRoot(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info) =>
    context.answer.roots(async () => {
      context.answer.begun += 1;
      // The field that has just ended is counted first.
      if (context.answer.begun > MAX_ROOTS_AT_ONCE) await nextTurn();
      unlessRefused(null, context.answer);
      return resolve(source, args, context, info);
    });
}

/** Makes a mutation fail once its answer is refused; an operation's mutations run one after the other. */
function boundChange(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info) => {
    unlessRefused(null, context.answer);
    return resolve(source, args, context, info);
  };
}

/**
 * Bounds the size of a schema's answers during execution. An operation's cost is estimated from the usual length of
 * lists. This bound counts their actual entries as they are resolved, so an answer that grows too large is refused
 * early, and nothing further is loaded for it.
 */
export function boundAnswers(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (WEIGHED.has(getNamedType(field.type).name)) boundText(field);
      if (isListType(getNullableType(field.type))) boundList(field);
      if (type === schema.getQueryType()) boundRoot(field);
      if (type === schema.getMutationType()) boundChange(field);
    }
  }
  return schema;
}
