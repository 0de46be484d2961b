/** Counts what a text costs a model. */
export interface TokenCounter {
  /** How it counts, for the reader: providers count differently. */
  readonly method: string;
  count(text: string): number;
}

/** Without a tokenizer: a token is about four letters of English or of JSON, or one sign of another script. */
const estimate: TokenCounter = {
  method: 'estimated: 4 characters a token; install js-tiktoken to count',
  count(text) {
    const ascii = text.replace(/[^\0-\x7f]/g, '').length;
    return Math.ceil(ascii / 4) + [...text].filter((sign) => sign > '\x7f').length;
  },
};

/** Counts as OpenAI's models since GPT-4o do if `js-tiktoken` is installed, and estimates if it is not. */
export async function tokenCounter(): Promise<TokenCounter> {
  try {
    const [{ Tiktoken }, { default: ranks }] = await Promise.all([
      import('js-tiktoken/lite'),
      import('js-tiktoken/ranks/o200k_base'),
    ]);
    const encoding = new Tiktoken(ranks);
    // A text that holds a special token is text here.
    return { method: 'o200k_base', count: (text) => encoding.encode(text, [], []).length };
  } catch (error) {
    if (isNotInstalled(error)) return estimate;
    throw error;
  }
}

function isNotInstalled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}
