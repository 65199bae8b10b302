/**
 * Rules that a graph of imports cannot see: globals, clocks, output streams, size, silenced errors.
 */
import tseslint from 'typescript-eslint';

const processGlobals = ['process', '__dirname', '__filename'].map((name) => ({ name, message: 'Only src/runtime, src/program and main.ts files touch the process. Take it as an argument.' }));
const processImport = { paths: [{ name: 'node:process', message: 'See no-restricted-globals.' }, { name: 'process', message: 'See no-restricted-globals.' }] };
const nondeterminism = [
  { selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']", message: 'Take the Clock: forgetting and ranking must replay.' },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Take the Clock.' },
  { selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']", message: 'Take a seeded random: HNSW levels must replay.' },
];

export default tseslint.config(
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  {
    files: ['src/**/*.ts', 'webview-ui/**/*.ts', 'test/**/*.ts'],
    extends: [tseslint.configs.base],
    rules: {
      'no-console': 'error', // stdout belongs to the MCP transport
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-debugger': 'error',
      eqeqeq: 'error',
      'prefer-const': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': true, 'ts-ignore': true, 'ts-nocheck': true }],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
    },
  },
  {
    files: ['src/**/*.ts', 'webview-ui/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-restricted-globals': ['error', ...processGlobals],
      'no-restricted-imports': ['error', processImport],
    },
  },
  { files: ['src/engine/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...nondeterminism] } },
  { files: ['src/runtime/**/*.ts', 'src/program/**/*.ts', 'src/*/main.ts'], rules: { 'no-restricted-globals': 'off', 'no-restricted-imports': 'off' } },
  { files: ['src/cli/**/*.ts', 'test/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    // A test that is skipped, or runs alone, is no test.
    files: ['test/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', {
        selector: "MemberExpression[object.name=/^(it|test|describe|suite)$/][property.name=/^(skip|only|todo|skipIf|runIf|fails)$/]",
        message: 'No skipped and no lonely tests: what a platform cannot run is named in scripts/test.mjs.',
      }],
    },
  },
);
