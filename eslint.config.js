import tseslint from 'typescript-eslint';
import { jsonAccess } from './checks/lint/json-access.js';

export default tseslint.config(
  { ignores: ['dist/', 'examples/', 'node_modules/', 'coverage/', '**/*.js', '**/*.mjs'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { argosy: { rules: { 'json-access': jsonAccess } } },
    rules: {
      'argosy/json-access': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { ignoreRestSiblings: true, argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/dot-notation': 'off',
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'max-statements': ['error', 30],
      complexity: ['error', 20],
      'no-nested-ternary': 'error',
      eqeqeq: ['error', 'smart'],
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-restricted-imports': ['error', { paths: [{ name: 'node:vm', message: 'not a sandbox' }] }],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/net/**', '**/*.test.ts', '**/testing/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'node:vm', message: 'not a sandbox' },
            { name: 'undici', message: 'the HTTP client is src/net/http' },
            { name: 'ws', message: 'WebSockets are in src/net/web-socket' },
          ],
        },
      ],
      'no-restricted-globals': ['error', { name: 'fetch', message: 'the HTTP client is src/net/http' }],
    },
  },
  {
    files: ['**/*.test.ts'],
    rules: { 'max-statements': 'off', '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['src/model/json/json.ts', 'src/model/json/json-text.ts'],
    rules: { 'argosy/json-access': 'off', '@typescript-eslint/no-dynamic-delete': 'off', eqeqeq: 'off' },
  },
);
