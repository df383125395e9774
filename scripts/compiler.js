/** How SWC makes JavaScript of the sources, for the build and the tests alike. */
export const COMPILER = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
};
