import type { Prisma } from '../generated/prisma/client.js';

/** Passes a value to a JSON column: Prisma's type has no place for a list of objects with optional keys. */
export const jsonColumn = (value: object): Prisma.InputJsonValue => value as Prisma.InputJsonValue;
