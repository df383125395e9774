import config from './jest.config.js';

/** The tests that install Formgate from its files, packages and all: `npm run test:install`. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/install/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 300_000,
};
