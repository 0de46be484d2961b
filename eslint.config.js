// What biome does not do: rules that need types, and the ban on globals that make code untestable.
import tseslint from 'typescript-eslint';

const clockAndChance = [
  { object: 'Date', property: 'now', message: 'Take a Clock.' },
  { object: 'performance', property: 'now', message: 'Take a Clock.' },
  { object: 'Math', property: 'random', message: 'Take a random source.' },
  {
    object: 'AbortSignal',
    property: 'any',
    message: 'It leaks on long-lived signals; use abort-signals.ts.',
  },
  { object: 'AbortSignal', property: 'timeout', message: 'Take a Clock.' },
];
const timers = ['setTimeout', 'setInterval', 'setImmediate'].map((name) => ({
  name,
  message: 'Take a Clock.',
}));

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/*.js', '**/*.mjs', '**/*.cjs'] },
  {
    files: ['**/*.ts'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
    },
  },
  {
    files: ['packages/*/src/**/*.ts'],
    // The two owners: the guard's clock and the ledger's wall clock. Tests bring their own.
    ignores: ['packages/call-guard/src/clock.ts', 'packages/effect-ledger/src/wall-clock.ts'],
    rules: {
      'no-restricted-properties': ['error', ...clockAndChance],
      'no-restricted-globals': ['error', ...timers],
      'no-restricted-syntax': [
        'error',
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'Take a Clock.',
        },
      ],
    },
  },
);
