/** Largest value of the database's type `integer`. */
export const MAX_INT = 2 ** 31 - 1;
