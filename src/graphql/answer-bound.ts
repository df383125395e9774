import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNullableType,
  isIntrospectionType,
  isListType,
  isObjectType,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { MAX_LOADED } from '../db/paging.js';

/** Maximum fields of one answer. An entry of a list counts one, plus one for each field selected of it. */
export const MAX_ANSWER = 2 * (MAX_LOADED - 1);

/** Maximum fields that one turn of the event loop resolves, which takes about ten milliseconds. */
const FIELDS_IN_TURN = 5_000;

/** The size of an answer so far. */
export type AnswerSize = {
  fields: number;
  /** The error that refuses the answer, once it has too many fields. */
  fault: GraphQLError | null;
  /** Fields assigned to the turn that is being filled. */
  fieldsInTurn: number;
  /** The turn of the event loop that is being filled; null: the current one. */
  turn: Promise<void> | null;
};

export const emptyAnswer = (): AnswerSize => ({ fields: 0, fault: null, fieldsInTurn: 0, turn: null });

type Context = Readonly<{ answer: AnswerSize }>;

type Field = GraphQLField<unknown, Context>;

/** An array, or the entries of a connection. */
type Sized = Iterable<unknown> & Readonly<{ length: number }>;

type Resolved = Sized | null | PromiseLike<Sized | null>;

const isPromise = (list: Resolved): list is PromiseLike<Sized | null> => list !== null && 'then' in list;

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

/** Adds fields to an answer. @returns the error that refuses it once it is too large, the same for all its lists. */
function grow(answer: AnswerSize, fields: number, { path }: GraphQLResolveInfo): GraphQLError | null {
  if (answer.fault) return answer.fault;
  answer.fields += fields;
  if (answer.fields <= MAX_ANSWER) return null;
  answer.fault = new GraphQLError(`The answer has more than ${MAX_ANSWER} fields. Ask for less at once.`, {
    // With a path graphql-js propagates the error unchanged.
    path: [path.key],
  });
  return answer.fault;
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

/** Counts the entries of a list with the fields selected of each, and spreads a large list over several turns. */
function count(list: Sized | null, { answer }: Context, info: GraphQLResolveInfo): unknown {
  if (!list) return list;
  const fieldsOfEntry = info.fieldNodes.reduce((sum, node) => sum + fieldsOf(node.selectionSet, info), 1);
  const fields = list.length * fieldsOfEntry;
  const fault = grow(answer, fields, info);
  // A throw would leave unhandled rejections in the promises of the entries before it.
  if (fault) return Promise.reject(fault);
  return fields <= FIELDS_IN_TURN ? inTurn(list, fields, answer) : entriesInTurn(list, fieldsOfEntry, answer);
}

function bindList(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info) => {
    const list = resolve(source, args, context, info) as Resolved;
    return isPromise(list) ? list.then((found) => count(found, context, info)) : count(list, context, info);
  };
}

/** Makes a mutation fail once its answer is refused; an operation's mutations run one after the other. */
function bindChange(field: Field): void {
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
      if (isListType(getNullableType(field.type))) bindList(field);
      if (type === schema.getMutationType()) bindChange(field);
    }
  }
  return schema;
}
