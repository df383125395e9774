import { afterAll, afterEach, expect } from '@jest/globals';
import { takeFaults } from '../contract-faults.js';

/** Every test fails whose answers are not those of the OpenAPI document; see ../contract.ts. */
const check = () => expect(takeFaults()).toEqual([]);

afterEach(check);
afterAll(check);
